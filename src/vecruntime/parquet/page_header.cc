// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/parquet/page_header_internal.h"
#include "vecruntime/parquet/thrift_compact_internal.h"

namespace vecruntime::parquet {
namespace {

using Thrift = ThriftReader;

// Visits the fields of one struct; `visit(field)` must consume the field's value.
template <typename Visit>
void ForEachField(Thrift& in, Visit&& visit) {
  Thrift::Field field;
  while ((field = in.NextField(field.id)).type != Thrift::kStop) visit(field);
}

PageEncoding ReadEncoding(Thrift& in) { return static_cast<PageEncoding>(in.ReadI32()); }

void ReadDataHeader(Thrift& in, PageHeader* header) {
  ForEachField(in, [&](Thrift::Field field) {
    if (field.type != Thrift::kI32) return in.Skip(field.type);
    switch (field.id) {
      case 1: header->value_count = in.ReadI32(); return;
      case 2: header->encoding = ReadEncoding(in); return;
      case 3: header->def_level_encoding = ReadEncoding(in); return;
      default: return in.Skip(field.type);
    }
  });
}

void ReadDataHeaderV2(Thrift& in, PageHeader* header) {
  ForEachField(in, [&](Thrift::Field field) {
    if (field.id == 7 && (field.type == Thrift::kTrue || field.type == Thrift::kFalse)) {
      header->is_compressed = field.type == Thrift::kTrue;
      return;
    }
    if (field.type != Thrift::kI32) return in.Skip(field.type);
    switch (field.id) {
      case 1: header->value_count = in.ReadI32(); return;
      case 4: header->encoding = ReadEncoding(in); return;
      case 5: header->def_level_bytes = in.ReadI32(); return;
      case 6: header->rep_level_bytes = in.ReadI32(); return;
      default: return in.Skip(field.type);
    }
  });
}

void ReadDictionaryHeader(Thrift& in, PageHeader* header) {
  ForEachField(in, [&](Thrift::Field field) {
    if (field.type == Thrift::kI32 && field.id == 1) {
      header->value_count = in.ReadI32();
    } else if (field.type == Thrift::kI32 && field.id == 2) {
      header->encoding = ReadEncoding(in);
    } else {
      in.Skip(field.type);
    }
  });
}

// Which of the four members of the header union was there.
struct Seen { bool data = false, dictionary = false, data_v2 = false; };

void ReadMember(Thrift& in, Thrift::Field field, PageHeader* header, Seen* seen) {
  if (field.type == Thrift::kI32 && field.id == 1) {
    header->type = static_cast<PageType>(in.ReadI32());
  } else if (field.type == Thrift::kI32 && field.id == 2) {
    header->uncompressed_bytes = in.ReadI32();
  } else if (field.type == Thrift::kI32 && field.id == 3) {
    header->compressed_bytes = in.ReadI32();
  } else if (field.type == Thrift::kI32 && field.id == 4) {
    header->crc = static_cast<uint32_t>(in.ReadI32());
  } else if (field.type == Thrift::kStruct && field.id == 5) {
    seen->data = true;
    ReadDataHeader(in, header);
  } else if (field.type == Thrift::kStruct && field.id == 7) {
    seen->dictionary = true;
    ReadDictionaryHeader(in, header);
  } else if (field.type == Thrift::kStruct && field.id == 8) {
    seen->data_v2 = true;
    ReadDataHeaderV2(in, header);
  } else {
    in.Skip(field.type);
  }
}

bool IsConsistent(const PageHeader& header, const Seen& seen) {
  switch (header.type) {
    case PageType::kData: if (!seen.data || seen.dictionary || seen.data_v2) return false; break;
    case PageType::kDictionary: if (!seen.dictionary || seen.data || seen.data_v2) return false; break;
    case PageType::kDataV2: if (!seen.data_v2 || seen.data || seen.dictionary) return false; break;
    default: break;
  }
  return header.uncompressed_bytes >= 0 && header.compressed_bytes >= 0 && header.value_count >= 0 && header.def_level_bytes >= 0 &&
         header.rep_level_bytes >= 0;
}

PageLocation ReadPageLocation(Thrift& in) {
  PageLocation location;
  ForEachField(in, [&](Thrift::Field field) {
    if (field.type == Thrift::kI64 && field.id == 1) {
      location.offset = in.ReadI64();
    } else if (field.type == Thrift::kI64 && field.id == 3) {
      location.first_row = in.ReadI64();
    } else {
      in.Skip(field.type);
    }
  });
  return location;
}

}  // namespace

arrow::Result<std::optional<PageHeader>> ParsePageHeader(std::span<const uint8_t> bytes) {
  Thrift in(bytes);
  PageHeader header;
  Seen seen;
  ForEachField(in, [&](Thrift::Field field) { ReadMember(in, field, &header, &seen); });
  if (in.truncated()) return std::nullopt;
  if (!in.ok() || !IsConsistent(header, seen)) return arrow::Status::Invalid("malformed page header");
  header.header_bytes = static_cast<int32_t>(in.consumed());
  return header;
}

std::vector<PageLocation> ParseOffsetIndex(std::span<const uint8_t> bytes, int64_t rows, int64_t file_bytes) {
  Thrift in(bytes);
  std::vector<PageLocation> locations;
  bool valid = true;
  ForEachField(in, [&](Thrift::Field field) {
    if (field.type != Thrift::kList || field.id != 1) return in.Skip(field.type);
    const Thrift::List list = in.ReadListHeader();
    valid = list.type == Thrift::kStruct && locations.empty();
    PageLocation previous{.offset = 0, .first_row = -1};
    for (int64_t i = 0; i < list.size && in.ok() && valid; ++i) {
      const PageLocation location = ReadPageLocation(in);
      valid = location.first_row > previous.first_row && location.first_row < rows && location.offset > previous.offset && location.offset < file_bytes;
      locations.push_back(previous = location);
    }
  });
  if (!in.ok() || !valid || locations.empty() || locations.front().first_row != 0) return {};
  return locations;
}

}  // namespace vecruntime::parquet
