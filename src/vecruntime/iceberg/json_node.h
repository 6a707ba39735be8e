// SPDX-License-Identifier: Apache-2.0
// Untrusted JSON with typed access; errors are CorruptData and name the JSON path ("$.snapshots[3].manifest-list"). A null counts as
// absent; of duplicate keys the last one counts, as in Java's reader. Nodes are views: they live as long as the document AND the node they
// came from.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vecruntime::iceberg {

class JsonNode {
 public:
  JsonNode(const nlohmann::json* value, const JsonNode* parent, std::string_view key) : value_(value), parent_(parent), key_(key) {}
  JsonNode(const nlohmann::json* value, const JsonNode* parent, size_t index) : value_(value), parent_(parent), index_(index) {}

  bool is_object() const;
  bool is_array() const;
  bool is_string() const;
  bool is_null() const;

  /// The member, or nullopt when it is absent, null, or this is no object.
  std::optional<JsonNode> Find(std::string_view key) const;
  arrow::Result<JsonNode> Get(std::string_view key) const;
  /// Elements of an array.
  arrow::Result<std::vector<JsonNode>> Items() const;
  /// Members of an object, by key.
  arrow::Result<std::vector<std::pair<std::string_view, JsonNode>>> Members() const;

  /// T: bool, int32_t, int64_t, double, std::string. A number that does not fit T is CorruptData.
  template <typename T>
  arrow::Result<T> As() const;
  template <typename T>
  arrow::Result<T> Get(std::string_view key) const {
    ARROW_ASSIGN_OR_RAISE(const JsonNode node, Get(key));
    return node.As<T>();
  }
  template <typename T>
  arrow::Result<std::optional<T>> Find(std::string_view key) const {
    const auto node = Find(key);
    if (!node) return std::optional<T>();
    ARROW_ASSIGN_OR_RAISE(T value, node->As<T>());
    return std::optional<T>(std::move(value));
  }
  template <typename T>
  arrow::Result<std::vector<T>> AsList() const {
    ARROW_ASSIGN_OR_RAISE(const auto items, Items());
    std::vector<T> values;
    for (const JsonNode& item : items) {
      ARROW_ASSIGN_OR_RAISE(T value, item.As<T>());
      values.push_back(std::move(value));
    }
    return values;
  }
  /// An object of scalars as text, whatever JSON type they have.
  arrow::Result<std::map<std::string, std::string>> AsStringMap() const;

  std::string Path() const;
  /// CorruptData: message, then the path of this node.
  arrow::Status Error(std::string_view message) const;

 private:
  const nlohmann::json* value_;
  const JsonNode* parent_;
  std::string_view key_;
  std::optional<size_t> index_;
};

class JsonDocument {
 public:
  ~JsonDocument();
  /// Memory is a small multiple of the text's size; nesting deeper than 256 is refused.
  static arrow::Result<std::unique_ptr<JsonDocument>> Parse(std::string_view text);
  const JsonNode& root() const { return root_; }

 private:
  explicit JsonDocument(std::unique_ptr<nlohmann::json> value);

  std::unique_ptr<nlohmann::json> value_;
  JsonNode root_;
};

}  // namespace vecruntime::iceberg
