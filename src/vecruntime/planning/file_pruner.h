// SPDX-License-Identifier: Apache-2.0
// Decides from manifest data alone whether a manifest or a data file might hold rows of a predicate, or no others.
#pragma once

#include <vector>

#include "vecruntime/iceberg/manifest.h"
#include "vecruntime/iceberg/predicate.h"
#include "vecruntime/iceberg/table_metadata.h"

namespace vecruntime::planning {

class FilePruner {
 public:
  /// REQUIRES: both outlive the pruner.
  FilePruner(const iceberg::TableMetadata& metadata, const iceberg::Predicate& predicate)
      : metadata_(metadata), predicate_(predicate) {}

  /// By partition summaries, under the manifest's own spec.
  bool ManifestMightMatch(const iceberg::ManifestFile& manifest) const;
  /// By the partition tuple, under the file's own spec.
  bool PartitionMightMatch(const iceberg::DataFile& file) const;
  /// By column metrics.
  bool MetricsMightMatch(const iceberg::DataFile& file) const;

 private:
  const iceberg::TableMetadata& metadata_;
  const iceberg::Predicate& predicate_;
};

/// True only when the file's metrics or its partition prove that every row of it satisfies `proof`; errs towards "no".
bool AllRowsMatch(const iceberg::Predicate& proof, const iceberg::DataFile& file, const iceberg::TableMetadata& metadata);

/// Fields of a predicate's leaves: the metrics a manifest read has to keep.
std::vector<iceberg::FieldId> FieldsOf(const iceberg::Predicate& predicate);

}  // namespace vecruntime::planning
