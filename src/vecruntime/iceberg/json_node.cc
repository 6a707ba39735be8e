// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/iceberg/json_node.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "vecruntime/base/error.h"

namespace vecruntime::iceberg {
namespace {

constexpr int kMaxDepth = 256;

/// Deepest nesting of brackets outside strings; at most one too many for text that is no JSON.
int DepthOf(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

bool JsonNode::is_object() const { return value_->is_object(); }
bool JsonNode::is_array() const { return value_->is_array(); }
bool JsonNode::is_string() const { return value_->is_string(); }
bool JsonNode::is_null() const { return value_->is_null(); }

std::optional<JsonNode> JsonNode::Find(std::string_view key) const {
  if (!is_object()) return std::nullopt;
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return JsonNode(&*found, this, found.key());
}

arrow::Result<JsonNode> JsonNode::Get(std::string_view key) const {
  if (auto found = Find(key)) return *found;
  if (!is_object()) return Error("expected an object");
  return Error("missing field " + std::string(key));
}

arrow::Result<std::vector<JsonNode>> JsonNode::Items() const {
  if (!is_array()) return Error("expected an array");
  std::vector<JsonNode> items;
  items.reserve(value_->size());
  for (const nlohmann::json& item : *value_) items.emplace_back(&item, this, items.size());
  return items;
}

arrow::Result<std::vector<std::pair<std::string_view, JsonNode>>> JsonNode::Members() const {
  if (!is_object()) return Error("expected an object");
  std::vector<std::pair<std::string_view, JsonNode>> members;
  members.reserve(value_->size());
  for (const auto& [name, value] : value_->get_ref<const nlohmann::json::object_t&>()) {
    members.emplace_back(name, JsonNode(&value, this, name));
  }
  return members;
}

template <typename T>
arrow::Result<T> JsonNode::As() const {
  if constexpr (std::is_same_v<T, std::string>) {
    if (!is_string()) return Error("expected a string");
    return value_->get_ref<const std::string&>();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!value_->is_boolean()) return Error("expected a boolean");
    return value_->get<bool>();
  } else if constexpr (std::is_same_v<T, double>) {
    if (!value_->is_number()) return Error("expected a number");
    return value_->get<double>();
  } else {
    const bool too_large = value_->is_number_unsigned() && value_->get<uint64_t>() > std::numeric_limits<int64_t>::max();
    if (!value_->is_number_integer() || too_large) return Error("expected an integer");
    const auto value = value_->get<int64_t>();
    if (value != static_cast<T>(value)) return Error("expected a 32-bit integer");
    return static_cast<T>(value);
  }
}
template arrow::Result<bool> JsonNode::As<bool>() const;
template arrow::Result<int32_t> JsonNode::As<int32_t>() const;
template arrow::Result<int64_t> JsonNode::As<int64_t>() const;
template arrow::Result<double> JsonNode::As<double>() const;
template arrow::Result<std::string> JsonNode::As<std::string>() const;

arrow::Result<std::map<std::string, std::string>> JsonNode::AsStringMap() const {
  ARROW_ASSIGN_OR_RAISE(const auto members, Members());
  std::map<std::string, std::string> map;
  for (const auto& [name, node] : members) {
    if (node.is_null()) continue;
    if (node.is_object() || node.is_array()) return node.Error("expected a string");
    map.emplace(name, node.is_string() ? node.value_->get<std::string>() : node.value_->dump());
  }
  return map;
}

std::string JsonNode::Path() const {
  if (parent_ == nullptr) return "$";
  if (index_) return parent_->Path() + "[" + std::to_string(*index_) + "]";
  return parent_->Path() + "." + std::string(key_);
}

arrow::Status JsonNode::Error(std::string_view message) const { return base::CorruptData(message, " at ", Path()); }

JsonDocument::JsonDocument(std::unique_ptr<nlohmann::json> value)
    : value_(std::move(value)), root_(value_.get(), nullptr, std::string_view()) {}
JsonDocument::~JsonDocument() = default;

arrow::Result<std::unique_ptr<JsonDocument>> JsonDocument::Parse(std::string_view text) {
  if (DepthOf(text) > kMaxDepth) return base::CorruptData("JSON nested deeper than ", kMaxDepth, " levels");
  try {
    auto value = std::make_unique<nlohmann::json>(nlohmann::json::parse(text));
    return std::unique_ptr<JsonDocument>(new JsonDocument(std::move(value)));
  } catch (const nlohmann::json::exception& error) {
    return base::CorruptData("invalid JSON: ", error.what());
  }
}

}  // namespace vecruntime::iceberg
