// SPDX-License-Identifier: Apache-2.0
// How many terminal cells UTF-8 text takes.
#pragma once

#include <string>
#include <string_view>

namespace vecruntime::cli {

/// East Asian wide characters and emoji count two, combining marks none. Malformed bytes count one each.
int DisplayWidth(std::string_view text);

/// `text` cut to at most `width` cells, the last of them "…" when something was cut. REQUIRES: width >= 1.
std::string CutToWidth(std::string_view text, int width);

/// Control characters as \n, \t, \xHH, so that a value never breaks the layout or reaches the terminal as a command.
std::string Printable(std::string_view text);

}  // namespace vecruntime::cli
