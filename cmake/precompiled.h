// SPDX-License-Identifier: Apache-2.0
// The headers most sources parse; precompiled in release builds only, so that every source still has to include what it uses.
#include <arrow/api.h>
#include <arrow/result.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>
