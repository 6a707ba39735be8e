// SPDX-License-Identifier: Apache-2.0
#include "cli/session_flags.h"

#include <arrow/result.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "cli/interrupt.h"
#include "vecruntime/base/error.h"

namespace vecruntime::cli {

void AddSessionFlags(CLI::App* app, SessionFlags* flags) {
  const std::string group = "Session";
  app->add_option("-w,--warehouse", flags->warehouse, "Directory of the Hadoop catalog that resolves ns.table")
      ->type_name("DIR")
      ->group(group);
  app->add_option("--catalog", flags->catalogs, "A further catalog: its tables are NAME.ns.table (repeatable)")
      ->type_name("NAME=URI")
      ->take_all()
      ->expected(1)
      ->group(group);
  app->add_option("-t,--threads", flags->threads, "Workers of a statement (default: one per core)")->type_name("N")->group(group);
  app->add_option("-m,--memory", flags->memory, "Memory budget, e.g. 2GiB (default: half of the machine)")->type_name("SIZE")->group(group);
  app->add_option("--timezone", flags->timezone, "Time zone of the session (default: UTC)")->type_name("ZONE")->group(group);
  app->add_option("--batch-rows", flags->batch_rows, "Rows of a batch at most")->type_name("N")->group(group);
  app->add_flag("--allow-moved-paths{on}", flags->moved_paths,
                "Read a copied table where it is now, even when its recorded location exists too; =off refuses to (default: when that\n"
                "location is local and gone)")
      ->group(group);
  app->add_flag("--no-pushdown", flags->no_pushdown, "Filter after the scan; the answer must not change")->group(group);
  app->add_flag("--no-pruning", flags->no_pruning, "Read every file; the answer must not change")->group(group);
  app->add_flag("--no-cache", flags->no_cache, "Decode metadata, footers and deletes anew for each statement; the answer must not change")
      ->group(group);
}

arrow::Result<int64_t> ParseBytes(const std::string& text) {
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(parsed.ptr, text.data() + text.size());
  unit.erase(std::remove(unit.begin(), unit.end(), ' '), unit.end());
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  static const std::map<std::string, double> kUnits = {
      {"", 1},          {"b", 1},           {"k", 1024.0},          {"kib", 1024.0},          {"kb", 1e3},        {"m", 1048576.0},
      {"mib", 1048576.0}, {"mb", 1e6},      {"g", 1073741824.0},    {"gib", 1073741824.0},    {"gb", 1e9},        {"t", 1099511627776.0},
      {"tib", 1099511627776.0}, {"tb", 1e12}};
  const auto factor = kUnits.find(unit);
  const double bytes = factor == kUnits.end() ? 0 : number * factor->second;
  if (parsed.ec != std::errc() || factor == kUnits.end() || !(bytes >= 1) || bytes > 9e18) {
    return base::InvalidArgument("not a size in bytes (examples: 2GiB, 512MB, 1000000): ", text);
  }
  return static_cast<int64_t>(bytes);
}

arrow::Result<std::shared_ptr<Session>> MakeSession(const SessionFlags& flags) {
  SessionOptions options;
  options.warehouse = flags.warehouse;
  options.threads = flags.threads;
  options.timezone = flags.timezone;
  options.batch_rows = flags.batch_rows;
  options.push_down = !flags.no_pushdown;
  options.pruning = !flags.no_pruning;
  options.cache_metadata = !flags.no_cache;
  if (flags.moved_paths != "on" && flags.moved_paths != "off" && flags.moved_paths != "auto") {
    return base::InvalidArgument("--allow-moved-paths is on, off or auto: ", flags.moved_paths);
  }
  options.moved_paths = flags.moved_paths == "on"    ? MovedPaths::kAllow
                        : flags.moved_paths == "off" ? MovedPaths::kRefuse
                                                     : MovedPaths::kAuto;
  if (!flags.memory.empty()) {
    ARROW_ASSIGN_OR_RAISE(options.memory_bytes, ParseBytes(flags.memory));
  }
  // Until here a signal just ends the program. Threads that are made from here on must not take it from the one that waits for it.
  BlockInterrupts();
  ARROW_ASSIGN_OR_RAISE(auto session, Session::Make(options));
  CancelOnInterrupt(session);
  for (const std::string& catalog : flags.catalogs) {
    const size_t equals = catalog.find('=');
    if (equals == std::string::npos || equals == 0) return base::InvalidArgument("--catalog takes NAME=URI: ", catalog);
    ARROW_RETURN_NOT_OK(session->OpenCatalog(catalog.substr(0, equals), catalog.substr(equals + 1)).status());
  }
  return session;
}

}  // namespace vecruntime::cli
