// SPDX-License-Identifier: Apache-2.0
// Times the planning of a whole table: vecruntime_plan_timer TABLE [WORKERS [RUNS]]. The first run decodes every manifest, the others find
// them in the cache. For the tables of tests/fixtures/make_scale.py, whose data files do not exist.
#include <arrow/buffer.h>
#include <arrow/result.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "vecruntime/base/memory_budget.h"
#include "vecruntime/catalog/metadata_discovery.h"
#include "vecruntime/iceberg/table_metadata.h"
#include "vecruntime/io/file_io.h"
#include "vecruntime/planning/table_planner.h"

namespace vecruntime {
namespace {

double UserMs() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) * 1e3 + static_cast<double>(usage.ru_utime.tv_usec) / 1e3;
}

arrow::Status Run(const std::string& table, int workers, int runs) {
  const io::FileIO plain(std::make_shared<base::IdentityCache>(std::make_shared<base::MemoryBudget>(int64_t{4} << 30), int64_t{1} << 30));
  ARROW_ASSIGN_OR_RAISE(const std::string location, catalog::FindMetadata(plain, table));
  ARROW_ASSIGN_OR_RAISE(const auto bytes, plain.ReadAll(location));
  ARROW_ASSIGN_OR_RAISE(const auto metadata, iceberg::ParseTableMetadata(std::string_view(*bytes), location));
  const auto file_io = plain.WithRelocation({metadata->location, table});
  std::vector<double> wall;
  std::vector<double> user;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    const double user_start = UserMs();
    ARROW_ASSIGN_OR_RAISE(const auto plan, planning::PlanScan(*file_io, metadata, metadata->CurrentSnapshot(), *iceberg::Predicate::True(),
                                                              {.workers = workers}));
    wall.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    user.push_back(UserMs() - user_start);
    if (run > 0) continue;
    const planning::PlanCounts& counts = plan.counts;
    std::cout << plan.tasks.size() << " data files, " << counts.deletion_vectors << " vectors, " << counts.position_delete_files
              << " position and " << counts.equality_delete_files << " equality delete files\n"
              << "cold: " << wall[0] << " ms, user " << user[0] << " ms\n";
  }
  if (runs > 1) {
    std::sort(wall.begin() + 1, wall.end());
    std::sort(user.begin() + 1, user.end());
    const size_t middle = 1 + wall.size() / 2 - (wall.size() > 2 ? 0 : 1);
    std::cout << "warm: " << wall[1] << " ms least, " << wall[middle] << " ms median, user " << user[middle] << " ms median\n";
  }
  std::cout << "remembered: " << plain.cache()->bytes() / 1024 << " KiB\n";
  return arrow::Status::OK();
}

}  // namespace
}  // namespace vecruntime

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: vecruntime_plan_timer TABLE [WORKERS [RUNS]]\n";
    return 2;
  }
  const auto status = vecruntime::Run(argv[1], argc > 2 ? std::atoi(argv[2]) : 2, argc > 3 ? std::atoi(argv[3]) : 11);
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
