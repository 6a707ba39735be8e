// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/parquet/flat_column_reader_internal.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "vecruntime/base/error.h"
#include "vecruntime/columnar/decode.h"
#include "vecruntime/columnar/dictionary.h"
#include "vecruntime/parquet/code_reader_internal.h"
#include "vecruntime/parquet/library_exception_internal.h"
#include "vecruntime/parquet/page_stream_internal.h"
#include "vecruntime/parquet/run_decoder_internal.h"
#include "vecruntime/parquet/value_reader_internal.h"

namespace vecruntime::parquet {
namespace {

using arrow::Result;
using arrow::Status;
using Physical = ::parquet::Type;

constexpr int64_t kFixedBytesMax = int64_t{1} << 30;

// Parquet Encodings.md: which encodings a physical type may have.
bool IsLegal(PageEncoding encoding, Physical::type type) {
  const bool integer = type == Physical::INT32 || type == Physical::INT64;
  const bool bytes = type == Physical::BYTE_ARRAY;
  const bool fixed = type == Physical::FIXED_LEN_BYTE_ARRAY;
  switch (encoding) {
    case PageEncoding::kPlain: return true;
    case PageEncoding::kPlainDictionary:
    case PageEncoding::kRleDictionary: return type != Physical::BOOLEAN;
    case PageEncoding::kRle: return type == Physical::BOOLEAN;
    case PageEncoding::kDeltaBinaryPacked: return integer;
    case PageEncoding::kDeltaLengthByteArray: return bytes;
    case PageEncoding::kDeltaByteArray: return bytes || fixed;
    case PageEncoding::kByteStreamSplit: return integer || fixed || type == Physical::FLOAT || type == Physical::DOUBLE;
    default: return false;
  }
}

uint8_t ReverseBits(uint8_t byte) {
  uint8_t reversed = 0;
  for (int bit = 0; bit < 8; ++bit) reversed = static_cast<uint8_t>((reversed << 1) | ((byte >> bit) & 1));
  return reversed;
}

// First live index at or after `from`, and one past the last live index before `to`; equal when none is alive between.
std::pair<int64_t, int64_t> LiveSpan(std::span<const uint64_t> words, int64_t from, int64_t to) {
  const auto word_of = [&](int64_t w, int64_t lo, int64_t hi) {
    uint64_t word = words[static_cast<size_t>(w)];
    if (w == lo / 64) word &= ~uint64_t{0} << (lo % 64);
    if (w == (hi - 1) / 64 && hi % 64 != 0) word &= (uint64_t{1} << (hi % 64)) - 1;
    return word;
  };
  for (int64_t w = from / 64; w <= (to - 1) / 64; ++w) {
    const uint64_t word = word_of(w, from, to);
    if (word == 0) continue;
    const int64_t first = w * 64 + std::countr_zero(word);
    for (int64_t v = (to - 1) / 64;; --v) {
      const uint64_t last = word_of(v, from, to);
      if (last != 0) return {first, v * 64 + 64 - std::countl_zero(last)};
    }
  }
  return {to, to};
}

class FlatColumnReader : public ColumnReader {
 public:
  FlatColumnReader(std::shared_ptr<const ParquetFile> file, int column, LeafConversion conversion, std::shared_ptr<arrow::DataType> type,
                   const ColumnReaderOptions& options, arrow::MemoryPool* pool)
      : file_(std::move(file)), descriptor_(*file_->impl().parquet_schema().Column(column)), conversion_(std::move(conversion)),
        type_(std::move(type)), physical_type_(PhysicalArrowType(descriptor_)), optional_(descriptor_.max_definition_level() > 0),
        encoded_(options.encoded), pool_(pool), pages_(file_, column, options.inflate_ns, pool),
        values_(ValueReader::Make(descriptor_, pool)) {}

  Result<std::shared_ptr<arrow::Array>> Read(const columnar::Selection& rows) override {
    ARROW_RETURN_NOT_OK(CheckWidth(rows.length()));
    const auto [first, last] = rows.length() == 0 ? std::pair<int64_t, int64_t>{0, 0} : LiveSpan(rows.words(), 0, rows.length());
    if (first == last) return arrow::MakeArrayOfNull(type_, rows.length(), pool_);
    auto array = CatchLibraryExceptions(file_->path(), [&, first = first, last = last] { return ReadLive(rows, first, last); });
    if (!array.ok()) group_ = -1;  // mid-page: whatever comes next starts the chunk anew
    return array;
  }

 private:
  // A NULL takes no bytes in the file, but the width that the schema claims in memory.
  Status CheckWidth(int64_t rows) const {
    if (descriptor_.physical_type() != Physical::FIXED_LEN_BYTE_ARRAY || rows <= kFixedBytesMax / std::max(descriptor_.type_length(), 1)) {
      return Status::OK();
    }
    return base::ResourceExhausted("column of ", descriptor_.type_length(), " bytes a value is too wide for ", rows, " rows at a time: ",
                                   file_->path(), ", column ", descriptor_.path()->ToDotString());
  }

  Result<std::shared_ptr<arrow::Array>> ReadLive(const columnar::Selection& rows, int64_t first, int64_t last) {
    ARROW_RETURN_NOT_OK(Open(rows.range()));
    ARROW_RETURN_NOT_OK(pages_.Seek(group_row_ + first));
    if (!form_known_) ARROW_RETURN_NOT_OK(ChooseForm());
    ARROW_ASSIGN_OR_RAISE(const bool read, ReadForm(rows, first, last));
    if (!read) {
      // The writer gave its dictionary up in one of these pages, and does not come back to it.
      ARROW_RETURN_NOT_OK(OpenChunk());
      form_known_ = true;
      ARROW_RETURN_NOT_OK(pages_.Seek(group_row_ + first));
      ARROW_RETURN_NOT_OK(ReadForm(rows, first, last).status());
    }
    return Finish(rows.length());
  }

  // Whether the chunk is read as codes: it has a dictionary that is not too large, and all its entries are values of the requested type.
  Status ChooseForm() {
    form_known_ = true;
    if (!encoded_ || !pages_.has_dictionary() || !pages_.page().header.is_dictionary_encoded()) return Status::OK();
    int32_t count = 0;
    ARROW_ASSIGN_OR_RAISE(const auto bytes, pages_.Dictionary(&count));
    if (count <= 0 || count > columnar::kDictionaryEntriesMax) return Status::OK();
    auto entries = MakeEntries(bytes, count);
    if (!entries.ok()) return Status::OK();  // no live row may need the entry at fault; reading values tells
    entries_ = *std::move(entries);
    codes_ = MakeCodeReader(count, pool_);
    code_type_ = CodeType(count);
    current_ = codes_.get();
    return Status::OK();
  }

  // A dictionary page is a PLAIN page of its entries.
  Result<std::shared_ptr<arrow::Array>> MakeEntries(std::span<const uint8_t> bytes, int32_t count) {
    ARROW_RETURN_NOT_OK(values_->StartArray(count));
    ARROW_RETURN_NOT_OK(values_->StartPage(PageEncoding::kPlain, bytes));
    ARROW_RETURN_NOT_OK(values_->Append(count, count, nullptr, 0));
    ARROW_ASSIGN_OR_RAISE(auto buffers, values_->FinishArray());
    buffers.insert(buffers.begin(), nullptr);
    ARROW_ASSIGN_OR_RAISE(auto converted, conversion_(arrow::ArrayData::Make(physical_type_, count, std::move(buffers), 0), pool_));
    return columnar::Decode(arrow::MakeArray(std::move(converted)), pool_);
  }

  // False when codes were to be read and a page has none.
  Result<bool> ReadForm(const columnar::Selection& rows, int64_t first, int64_t last) {
    ARROW_RETURN_NOT_OK(pages_.Explain(StartArray(rows.length())));
    int64_t end = 0;  // of what is appended
    for (int64_t at = first; at < last; at = end < last ? LiveSpan(rows.words(), end, last).first : last) {
      ARROW_RETURN_NOT_OK(pages_.Seek(group_row_ + at));
      if (entries_ != nullptr && !pages_.page().header.is_dictionary_encoded()) return false;
      const int64_t from = std::max(end, pages_.page().first_row - group_row_);
      ARROW_RETURN_NOT_OK(AppendDead(from - end));
      end = std::min(rows.length(), pages_.page().end_row() - group_row_);
      ARROW_RETURN_NOT_OK(AppendFromPage(rows.words(), from, end));
    }
    ARROW_RETURN_NOT_OK(AppendDead(rows.length() - end));
    return true;
  }

  Status Open(base::FileRowRange rows) {
    const int group = file_->impl().RowGroupOf(rows);
    if (group < 0) return base::Internal("rows to read do not lie in one row group: ", file_->path(), ", rows ", rows.begin.value, " to ", rows.end.value);
    if (group == group_ && rows.begin < read_to_) return base::Internal("rows to read do not ascend: ", file_->path(), ", row ", rows.begin.value);
    if (group != group_) {
      group_ = -1;  // until the chunk is open
      chunk_ = group;
      ARROW_RETURN_NOT_OK(OpenChunk());
      group_ = group;
    }
    group_row_ = rows.begin - file_->row_groups()[static_cast<size_t>(group)].begin;
    read_to_ = rows.end;
    return Status::OK();
  }

  Status OpenChunk() {
    ARROW_RETURN_NOT_OK(pages_.OpenChunk(chunk_));
    has_dictionary_ = false;
    open_page_ = -1;
    form_known_ = false;
    entries_ = nullptr;
    current_ = values_.get();
    return Status::OK();
  }

  Status StartArray(int64_t rows) {
    validity_ = nullptr;
    null_count_ = 0;
    appended_ = 0;
    rows_ = rows;
    return current_->StartArray(rows);
  }

  Status AppendDead(int64_t rows) {
    appended_ += rows;
    return rows == 0 ? Status::OK() : current_->AppendDead(rows);
  }

  // Rows [from, to) of the array, all in the current page.
  Status AppendFromPage(std::span<const uint64_t> words, int64_t from, int64_t to) {
    const auto [first, last] = LiveSpan(words, from, to);
    if (first == last) return AppendDead(to - from);
    ARROW_ASSIGN_OR_RAISE(const bool placed, PlaceWholePage(from, to));
    if (placed) return Status::OK();
    ARROW_RETURN_NOT_OK(AppendDead(first - from));
    ARROW_RETURN_NOT_OK(OpenPage());
    ARROW_RETURN_NOT_OK(pages_.Explain(SkipTo(group_row_ + first)));
    ARROW_RETURN_NOT_OK(pages_.Explain(AppendRows(last - first)));
    return AppendDead(to - last);
  }

  // A PLAIN page whose rows all lie in the array, dead or alive, is inflated where its values belong.
  Result<bool> PlaceWholePage(int64_t from, int64_t to) {
    const Page& page = pages_.page();
    if (page.header.encoding != PageEncoding::kPlain || group_row_ + from != page.first_row || to - from != page.rows ||
        open_page_ == page.offset) {
      return false;
    }
    const std::span<uint8_t> place = current_->PlaceFor(page.rows);
    if (place.empty()) return false;
    ARROW_ASSIGN_OR_RAISE(const bool placed, pages_.LoadInto(place));
    if (!placed) return false;
    current_->AppendPlaced(page.rows);
    appended_ += page.rows;
    return true;
  }

  // Makes levels_ and values_ ready for the current page, unless they are.
  Status OpenPage() {
    const Page& page = pages_.page();
    if (open_page_ == page.offset) return Status::OK();
    const PageEncoding encoding = page.header.encoding;
    if (!IsLegal(encoding, descriptor_.physical_type())) {
      return base::Unsupported("encoding of Parquet page: ", file_->path(), ", offset ", page.offset, ", column ",
                               descriptor_.path()->ToDotString(), ", encoding ", static_cast<int32_t>(encoding));
    }
    if (page.header.is_dictionary_encoded() && !has_dictionary_ && entries_ == nullptr) {
      int32_t count = 0;
      ARROW_ASSIGN_OR_RAISE(const auto dictionary, pages_.Dictionary(&count));
      ARROW_RETURN_NOT_OK(pages_.Explain(values_->SetDictionary(dictionary, count)));
      has_dictionary_ = true;
    }
    open_page_ = -1;
    ARROW_ASSIGN_OR_RAISE(const PageBytes bytes, pages_.Load());
    ARROW_RETURN_NOT_OK(OpenLevels(bytes.def_levels));
    ARROW_RETURN_NOT_OK(pages_.Explain(current_->StartPage(encoding, bytes.values)));
    open_page_ = page.offset;
    page_row_ = page.first_row;
    return Status::OK();
  }

  Status OpenLevels(std::span<const uint8_t> levels) {
    if (!optional_) {
      levels_.ResetToOnes();
      return Status::OK();
    }
    const Page& page = pages_.page();
    if (page.header.type == PageType::kData && page.header.def_level_encoding == PageEncoding::kBitPacked) {
      UnpackLegacyLevels(levels);
    } else {
      levels_.Reset(levels, 1);
    }
    return Status::OK();
  }

  // The deprecated BIT_PACKED levels fill bytes from the high bit; a bit-packed run of the hybrid fills them from the low one.
  void UnpackLegacyLevels(std::span<const uint8_t> levels) {
    legacy_levels_.clear();
    for (uint64_t header = (uint64_t{levels.size()} << 1) | 1; header != 0; header >>= 7) {
      legacy_levels_.push_back(static_cast<uint8_t>((header & 0x7f) | (header > 0x7f ? 0x80 : 0)));
    }
    for (const uint8_t byte : levels) legacy_levels_.push_back(ReverseBits(byte));
    levels_.Reset(legacy_levels_, 1);
  }

  Status SkipTo(int64_t row) {
    int64_t values = 0;
    ARROW_RETURN_NOT_OK(levels_.SkipBits(row - page_row_, &values));
    page_row_ = row;
    return values == 0 ? Status::OK() : current_->Skip(values);
  }

  Status AppendRows(int64_t rows) {
    page_row_ += rows;
    while (rows > 0) {
      ARROW_ASSIGN_OR_RAISE(const int64_t ones, levels_.LeadingOnes(rows));
      if (ones > 0) {
        ARROW_RETURN_NOT_OK(levels_.Skip(ones));
        ARROW_RETURN_NOT_OK(current_->Append(ones, ones, nullptr, 0));
        appended_ += ones;
        rows -= ones;
        continue;
      }
      ARROW_RETURN_NOT_OK(EnsureValidity());
      int64_t values = 0;
      ARROW_RETURN_NOT_OK(levels_.ReadBits(rows, validity_->mutable_data(), appended_, &values));
      ARROW_RETURN_NOT_OK(current_->Append(rows, values, validity_->data(), appended_));
      null_count_ += rows - values;
      appended_ += rows;
      rows = 0;
    }
    return Status::OK();
  }

  Status EnsureValidity() {
    if (validity_ != nullptr) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(validity_, arrow::AllocateBitmap(rows_, pool_));
    std::memset(validity_->mutable_data(), 0xff, static_cast<size_t>(validity_->size()));
    return Status::OK();
  }

  Result<std::shared_ptr<arrow::Array>> Finish(int64_t rows) {
    auto buffers = current_->FinishArray();
    if (!buffers.ok()) return pages_.Explain(buffers.status());
    buffers->insert(buffers->begin(), null_count_ == 0 ? nullptr : std::move(validity_));
    if (entries_ != nullptr) {
      auto codes = arrow::MakeArray(arrow::ArrayData::Make(code_type_, rows, std::move(*buffers), null_count_));
      return std::make_shared<arrow::DictionaryArray>(arrow::dictionary(code_type_, type_), std::move(codes), entries_);
    }
    auto converted = conversion_(arrow::ArrayData::Make(physical_type_, rows, std::move(*buffers), null_count_), pool_);
    if (!converted.ok()) return base::WithContext(converted.status(), file_->path() + ", column " + descriptor_.path()->ToDotString());
    return arrow::MakeArray(std::move(*converted));
  }

  const std::shared_ptr<const ParquetFile> file_;
  const ::parquet::ColumnDescriptor& descriptor_;
  const LeafConversion conversion_;
  const std::shared_ptr<arrow::DataType> type_;
  const std::shared_ptr<arrow::DataType> physical_type_;
  const bool optional_;
  const bool encoded_;
  arrow::MemoryPool* const pool_;

  PageStream pages_;
  std::unique_ptr<ValueReader> values_;
  std::unique_ptr<ValueReader> codes_;
  ValueReader* current_ = nullptr;        // values_, or codes_ when entries_ is set
  std::shared_ptr<arrow::Array> entries_;  // of the chunk's dictionary, when it is read as codes
  std::shared_ptr<arrow::DataType> code_type_;
  bool form_known_ = false;  // whether the chunk is read as codes has been decided
  RunDecoder levels_;
  std::vector<uint8_t> legacy_levels_;
  int chunk_ = -1;  // the row group that pages_ is in
  int group_ = -1;  // the same, unless a failure left it in the middle
  base::FileRow read_to_;
  int64_t group_row_ = 0;  // of the array's first row in the row group
  bool has_dictionary_ = false;
  int64_t open_page_ = -1;  // offset of the page that levels_ and values_ are in, at page_row_
  int64_t page_row_ = 0;

  // The array being built.
  int64_t rows_ = 0;
  int64_t appended_ = 0;
  int64_t null_count_ = 0;
  std::shared_ptr<arrow::Buffer> validity_;
};

}  // namespace

bool IsFlat(const ::parquet::ColumnDescriptor& column) { return column.max_repetition_level() == 0 && column.max_definition_level() <= 1; }

std::unique_ptr<ColumnReader> MakeFlatColumnReader(std::shared_ptr<const ParquetFile> file, int column, LeafConversion conversion,
                                                   std::shared_ptr<arrow::DataType> type, const ColumnReaderOptions& options, arrow::MemoryPool* pool) {
  return std::make_unique<FlatColumnReader>(std::move(file), column, std::move(conversion), std::move(type), options, pool);
}

}  // namespace vecruntime::parquet
