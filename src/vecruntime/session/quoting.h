// SPDX-License-Identifier: Apache-2.0
// Names and text as SQL writes them.
#pragma once

#include <string>
#include <string_view>

namespace vecruntime::session {

/// `a``b`
std::string QuoteIdentifier(std::string_view name);
/// 'it\'s'
std::string QuoteString(std::string_view text);
/// What stands after FROM for a table given as "ns.t", as a path or as already quoted text: a path is quoted, a name stays.
std::string QuoteTable(const std::string& name);
/// Whether a table was given by its location rather than by its name.
bool IsTablePath(std::string_view name);

}  // namespace vecruntime::session
