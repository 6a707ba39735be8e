// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/catalog/metadata_discovery.h"

#include <arrow/buffer.h>
#include <arrow/result.h>

#include <charconv>
#include <utility>
#include <vector>

#include "vecruntime/base/error.h"
#include "vecruntime/io/file_io.h"

namespace vecruntime::catalog {
namespace {

constexpr std::string_view kHintName = "version-hint.text";

struct Candidate {
  MetadataFileName parsed;
  std::string name;
};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && static_cast<uint8_t>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<uint8_t>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

bool TakeSuffix(std::string_view* text, std::string_view suffix) {
  if (!text->ends_with(suffix)) return false;
  text->remove_suffix(suffix.size());
  return true;
}

/// Among files of one version of a Hadoop table Java takes the plain one first.
bool Precedes(const Candidate& a, const Candidate& b) {
  if (a.parsed.version != b.parsed.version) return a.parsed.version > b.parsed.version;
  if (a.parsed.numbered != b.parsed.numbered) return a.parsed.numbered;
  return a.parsed.gzip < b.parsed.gzip;
}

/// The text of the hint, empty when there is none or it cannot be read.
std::string ReadHint(const io::FileIO& file_io, const std::string& directory, bool present) {
  if (!present) return {};
  const auto bytes = file_io.ReadAll(directory + "/" + std::string(kHintName));
  return bytes.ok() ? std::string(Trim(std::string_view(**bytes))) : std::string();
}

arrow::Result<std::string> Choose(const std::vector<Candidate>& candidates, const std::string& hint, const std::string& directory) {
  const Candidate* best = &candidates.front();
  for (const Candidate& candidate : candidates) {
    if (Precedes(candidate, *best)) best = &candidate;
  }
  if (const auto hinted = ParseNumber(hint); hinted && *hinted > best->parsed.version) {
    return base::CorruptData("version-hint names a missing metadata file: version ", *hinted, " in ", directory);
  }
  if (best->parsed.numbered) return directory + "/" + best->name;
  const Candidate* chosen = nullptr;
  for (const Candidate& candidate : candidates) {
    if (candidate.parsed.version != best->parsed.version) continue;
    const bool named_by_hint = !hint.empty() && candidate.name.starts_with(hint) && !ParseNumber(hint);
    if (named_by_hint) return directory + "/" + candidate.name;
    if (chosen != nullptr) {
      return base::InvalidArgument("several metadata files have the newest version, name one of them: ", chosen->name, ", ",
                                   candidate.name, " in ", directory);
    }
    chosen = &candidate;
  }
  return directory + "/" + chosen->name;
}

}  // namespace

std::optional<MetadataFileName> ParseMetadataFileName(std::string_view name) {
  MetadataFileName parsed;
  if (TakeSuffix(&name, ".metadata.json.gz") || TakeSuffix(&name, ".gz.metadata.json")) {
    parsed.gzip = true;
  } else if (!TakeSuffix(&name, ".metadata.json")) {
    return std::nullopt;
  }
  parsed.numbered = name.starts_with("v");
  if (parsed.numbered) {
    name.remove_prefix(1);
  } else {
    name = name.substr(0, name.find('-'));
  }
  const auto version = ParseNumber(name);
  if (!version) return std::nullopt;
  parsed.version = *version;
  return parsed;
}

arrow::Result<std::string> FindMetadata(const io::FileIO& file_io, const std::string& table) {
  std::string location = table;
  while (location.size() > 1 && location.ends_with('/')) location.pop_back();
  if (location.ends_with(".json") || location.ends_with(".json.gz")) return location;
  const std::string directory = location + "/metadata";
  const auto files = file_io.List(directory);
  if (!files.ok()) {
    if (KindOf(files.status()) != ErrorKind::kNotFound) return files.status();
    return base::NotFound("no table at ", table);
  }
  std::vector<Candidate> candidates;
  bool has_hint = false;
  for (const io::FileInfo& file : *files) {
    std::string name = file.location.substr(file.location.rfind('/') + 1);
    has_hint = has_hint || name == kHintName;
    if (const auto parsed = ParseMetadataFileName(name); parsed && !file.is_directory) candidates.push_back({*parsed, std::move(name)});
  }
  if (candidates.empty()) return base::NotFound("no table at ", table, ": no metadata file in ", directory);
  return Choose(candidates, ReadHint(file_io, directory, has_hint), directory);
}

}  // namespace vecruntime::catalog
