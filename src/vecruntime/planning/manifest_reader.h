// SPDX-License-Identifier: Apache-2.0
// The live entries of a snapshot's manifests, in memory. A session decodes a manifest once (io::FileIO::DecodeOnce): manifests never change.
#pragma once

#include <arrow/type_fwd.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vecruntime/iceberg/manifest.h"
#include "vecruntime/iceberg/table_metadata.h"
#include "vecruntime/io/file_io.h"
#include "vecruntime/planning/scan_task.h"

namespace vecruntime::planning {

/// The manifests of `snapshot`, from its manifest list or its inline v1 form.
arrow::Result<std::shared_ptr<const std::vector<iceberg::ManifestFile>>> ReadManifests(const io::FileIO& file_io,
                                                                                       const iceberg::Snapshot& snapshot);

/// Reads manifests of one table. Const after construction, then thread-safe.
class ManifestReader {
 public:
  /// REQUIRES: both outlive the reader.
  ManifestReader(const io::FileIO& file_io, const iceberg::TableMetadata& metadata);

  /// The live entries of all `manifests`, in order, without split offsets and key metadata. Column metrics are there at least for `fields`
  /// (ascending; nullopt: for all).
  arrow::Result<std::vector<EntryPtr>> Read(const std::vector<iceberg::ManifestFile>& manifests,
                                            const std::optional<std::vector<iceberg::FieldId>>& fields, int workers) const;

 private:
  struct Entries;
  arrow::Result<std::shared_ptr<const Entries>> ReadOne(const iceberg::ManifestFile& manifest,
                                                        const std::optional<std::vector<iceberg::FieldId>>& fields) const;
  std::string VariantOf(const iceberg::ManifestFile& manifest) const;

  const io::FileIO& file_io_;
  const iceberg::TableMetadata& metadata_;
  std::map<int, std::vector<iceberg::TypePtr>> partition_types_;
  std::map<int, std::string> spec_texts_;  // what of a spec and its types decides how a tuple is read
};

}  // namespace vecruntime::planning
