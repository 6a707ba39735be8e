// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/parquet/page_stream_internal.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/base/phase_timer.h"
#include "vecruntime/parquet/library_exception_internal.h"
#include "vecruntime/parquet/page_codec_internal.h"
#include "vecruntime/parquet/run_decoder_internal.h"

namespace vecruntime::parquet {
namespace {

using arrow::Result;
using arrow::Status;
using Bytes = std::span<const uint8_t>;

// How much is read at a time: little at first, as a filter may leave few pages of a chunk, and more with every read that goes on from there.
constexpr int64_t kFirstWindowBytes = 32 * 1024;
constexpr int64_t kWindowBytesMax = 256 * 1024;
constexpr int64_t kHeaderBytes = 256;  // first guess; statistics make some longer
constexpr int64_t kLegacyBytes = 4;    // the magic before the first chunk

Status Grow(int64_t bytes, arrow::MemoryPool* pool, std::shared_ptr<arrow::ResizableBuffer>* buffer) {
  if (*buffer == nullptr) {
    ARROW_ASSIGN_OR_RAISE(*buffer, arrow::AllocateResizableBuffer(bytes, pool));
    return Status::OK();
  }
  return (*buffer)->Resize(bytes, /*shrink_to_fit=*/false);
}

}  // namespace

PageStream::PageStream(std::shared_ptr<const ParquetFile> file, int column, std::atomic<int64_t>* inflate_ns, arrow::MemoryPool* pool)
    : file_(std::move(file)), column_(column), inflate_ns_(inflate_ns), pool_(pool),
      max_def_level_(file_->impl().parquet_schema().Column(column)->max_definition_level()) {}

Status PageStream::Corrupt(std::string_view what, int64_t offset) const {
  return base::CorruptData("Parquet ", what, ": ", file_->path(), ", offset ", offset, ", column ",
                           file_->impl().parquet_schema().Column(column_)->path()->ToDotString());
}

Status PageStream::Explain(const Status& status) const {
  if (status.ok() || status.detail() != nullptr) return status;
  if (status.IsOutOfMemory() || status.IsNotImplemented()) return StatusOfLibrary(status, file_->path());
  return Corrupt("page cannot be decoded (" + status.message() + ")", offset_);
}

Status PageStream::OpenChunk(int row_group) {
  const auto chunk = file_->impl().metadata->RowGroup(row_group)->ColumnChunk(column_);
  row_group_ = row_group;
  group_rows_ = file_->row_groups()[static_cast<size_t>(row_group)].length();
  compression_ = chunk->compression();
  chunk_begin_ = chunk->data_page_offset();
  if (chunk->has_dictionary_page() && chunk->dictionary_page_offset() > 0) {
    chunk_begin_ = std::min(chunk_begin_, chunk->dictionary_page_offset());
  }
  const int64_t bytes = chunk->total_compressed_size();
  if (chunk_begin_ < kLegacyBytes || bytes < 0 || chunk_begin_ > file_->impl().size || bytes > file_->impl().size - chunk_begin_) {
    return Corrupt("column chunk lies outside its file", chunk_begin_);
  }
  if (chunk->num_values() != group_rows_) return Corrupt("column chunk has another number of values than its row group rows", chunk_begin_);
  chunk_end_ = chunk_begin_ + bytes;
  chunk_inflated_bytes_ = chunk->total_uncompressed_size();
  has_dictionary_ = false;
  dictionary_ = {};
  dictionary_body_ = nullptr;
  offset_ = chunk_begin_;
  next_offset_ = chunk_begin_;
  next_row_ = 0;
  page_ = Page();
  index_read_ = false;
  index_.clear();
  window_ = {};
  return Status::OK();
}

// Bytes [offset, offset+length), in the window or brought into it together with what lies behind them.
Result<Bytes> PageStream::View(int64_t offset, int64_t length) {
  const int64_t window_end = window_begin_ + static_cast<int64_t>(window_.size());
  if (offset < window_begin_ || offset + length > window_end) ARROW_RETURN_NOT_OK(ReadWindow(offset, length));
  return window_.subspan(static_cast<size_t>(offset - window_begin_), static_cast<size_t>(length));
}

Status PageStream::ReadWindow(int64_t offset, int64_t length) {
  const int64_t known_end = window_begin_ + static_cast<int64_t>(window_.size());
  const bool goes_on = !window_.empty() && offset >= window_begin_ && offset <= known_end;
  window_bytes_ = goes_on ? std::min(2 * window_bytes_, kWindowBytesMax) : kFirstWindowBytes;
  const int64_t wanted = std::min(std::max(length, window_bytes_), chunk_end_ - offset);
  arrow::io::RandomAccessFile& source = *file_->impl().source;
  if (source.supports_zero_copy()) {
    auto view = source.ReadAt(offset, wanted);
    if (!view.ok()) return StatusOfLibrary(view.status(), file_->path());
    window_view_ = std::move(*view);
    window_begin_ = offset;
    window_ = {window_view_->data(), static_cast<size_t>(window_view_->size())};
    return static_cast<int64_t>(window_.size()) < length ? Corrupt("column chunk ends early", offset) : Status::OK();
  }
  // What is known already moves to the front, so that sequential reading reads each byte once.
  const int64_t kept = goes_on ? known_end - offset : 0;
  const int64_t kept_from = offset - window_begin_;
  ARROW_RETURN_NOT_OK(Explain(Grow(std::max(wanted, static_cast<int64_t>(window_.size())), pool_, &window_buffer_)));
  uint8_t* bytes = window_buffer_->mutable_data();
  if (kept > 0) std::memmove(bytes, bytes + kept_from, static_cast<size_t>(kept));
  window_ = {};
  const auto read = source.ReadAt(offset + kept, wanted - kept, bytes + kept);
  if (!read.ok()) return StatusOfLibrary(read.status(), file_->path());
  window_begin_ = offset;
  window_ = {bytes, static_cast<size_t>(kept + *read)};
  return static_cast<int64_t>(window_.size()) < length ? Corrupt("column chunk ends early", offset) : Status::OK();
}

Result<PageHeader> PageStream::ReadHeader(int64_t offset) {
  const int64_t rest = chunk_end_ - offset;
  if (rest <= 0) return Corrupt("column chunk has fewer rows than its row group", offset);
  for (int64_t length = std::min(kHeaderBytes, rest);; length = std::min(length * 4, rest)) {
    ARROW_ASSIGN_OR_RAISE(const Bytes bytes, View(offset, length));
    const auto header = ParsePageHeader(bytes);
    if (!header.ok()) return Corrupt("page header is malformed", offset);
    if (header->has_value()) {
      ARROW_RETURN_NOT_OK(CheckSizes(**header, offset));
      return **header;
    }
    if (length == rest) return Corrupt("page header ends early", offset);
  }
}

Status PageStream::CheckSizes(const PageHeader& header, int64_t offset) const {
  if (header.compressed_bytes > chunk_end_ - offset - header.header_bytes) return Corrupt("page is larger than its column chunk", offset);
  const int64_t levels = int64_t{header.def_level_bytes} + header.rep_level_bytes;
  if (levels > header.compressed_bytes || levels > header.uncompressed_bytes) return Corrupt("page levels are larger than their page", offset);
  // A chunk's own size is the better bound, but not one that every writer gets right.
  const bool compressed = header.type != PageType::kDataV2 || header.is_compressed;
  const int64_t inflated_max = compressed ? InflatedBytesMax(compression_, header.compressed_bytes) : header.compressed_bytes;
  if (header.uncompressed_bytes > std::max(inflated_max, levels)) return Corrupt("page claims to inflate to more than it can", offset);
  if (compressed && inflated_max == std::numeric_limits<int32_t>::max() && header.uncompressed_bytes > chunk_inflated_bytes_) {
    return Corrupt("page claims to inflate to more than its column chunk", offset);
  }
  return Status::OK();
}

Status PageStream::Inflate(Bytes in, std::span<uint8_t> out) {
  if (inflate_ns_ == nullptr) return InflatePage(compression_, in, out);  // the time is that of whoever reads
  const base::PhaseTimer timer(inflate_ns_);
  return InflatePage(compression_, in, out);
}

Status PageStream::NextPage() {
  for (;;) {
    const int64_t offset = next_offset_;
    ARROW_ASSIGN_OR_RAISE(const PageHeader header, ReadHeader(offset));
    offset_ = offset;
    next_offset_ = offset + header.header_bytes + header.compressed_bytes;
    if (header.type == PageType::kDictionary) {
      ARROW_RETURN_NOT_OK(LoadDictionary(header, offset));
      continue;
    }
    if (!header.is_data()) continue;
    if (header.value_count > group_rows_ - next_row_) return Corrupt("column chunk has more rows than its row group", offset);
    page_ = Page{.header = header, .offset = offset, .first_row = next_row_, .rows = header.value_count};
    next_row_ += header.value_count;
    return Status::OK();
  }
}

// Moves next_offset_ to the page that holds `row`, when the offset index knows it.
Status PageStream::JumpTowards(int64_t row) {
  if (!index_read_) {
    ARROW_ASSIGN_OR_RAISE(index_, file_->impl().ReadOffsetIndex(row_group_, column_));
    index_read_ = true;
  }
  const auto after = std::upper_bound(index_.begin(), index_.end(), row, [](int64_t at, const PageLocation& page) { return at < page.first_row; });
  if (after == index_.begin()) return Status::OK();
  const PageLocation& target = *(after - 1);
  if (target.first_row <= next_row_ || target.offset < next_offset_ || target.offset >= chunk_end_) return Status::OK();
  next_offset_ = target.offset;
  next_row_ = target.first_row;
  ARROW_RETURN_NOT_OK(NextPage());
  const int64_t end_row = after == index_.end() ? group_rows_ : after->first_row;
  return page_.end_row() == end_row ? Status::OK() : Corrupt("offset index and page header disagree", page_.offset);
}

Status PageStream::Seek(int64_t row) {
  if (page_.rows == 0 && next_row_ == 0) ARROW_RETURN_NOT_OK(NextPage());  // before any jump, so that a dictionary is found
  if (row > next_row_) ARROW_RETURN_NOT_OK(JumpTowards(row));
  while (row >= page_.end_row()) ARROW_RETURN_NOT_OK(NextPage());
  return Status::OK();
}

// The page's body as stored. Its checksum is the only thing that tells a flipped bit in a page that is not compressed.
Result<Bytes> PageStream::StoredBody(const Page& page) {
  ARROW_ASSIGN_OR_RAISE(const Bytes body, View(page.offset + page.header.header_bytes, page.header.compressed_bytes));
  if (page.header.crc && PageCrc(body) != *page.header.crc) return Corrupt("page does not match its checksum", page.offset);
  return body;
}

// The page's body without its first `skip_bytes` bytes (a v2 page's levels, which are never compressed).
Result<Bytes> PageStream::InflateBody(const Page& page, int64_t skip_bytes, std::shared_ptr<arrow::ResizableBuffer>* buffer) {
  const PageHeader& header = page.header;
  ARROW_ASSIGN_OR_RAISE(Bytes body, StoredBody(page));
  body = body.subspan(static_cast<size_t>(skip_bytes));
  const int64_t bytes = header.uncompressed_bytes - skip_bytes;
  if (bytes == 0) return Bytes();
  if (compression_ == arrow::Compression::UNCOMPRESSED || !header.is_compressed) {
    if (static_cast<int64_t>(body.size()) < bytes) return Corrupt("page ends early", page.offset);
    return body.first(static_cast<size_t>(bytes));
  }
  ARROW_RETURN_NOT_OK(Explain(Grow(bytes, pool_, buffer)));
  const std::span<uint8_t> out((*buffer)->mutable_data(), static_cast<size_t>(bytes));
  ARROW_RETURN_NOT_OK(Explain(Inflate(body, out)));
  return Bytes(out);
}

Result<PageBytes> PageStream::SplitV1(Bytes body) const {
  if (max_def_level_ == 0) return PageBytes{.values = body};
  int64_t level_bytes = (page_.rows + 7) / 8;
  if (page_.header.def_level_encoding == PageEncoding::kRle) {
    uint32_t length = 0;
    if (body.size() < 4) return Corrupt("page ends within its levels", page_.offset);
    std::memcpy(&length, body.data(), 4);
    body = body.subspan(4);
    level_bytes = length;
  } else if (page_.header.def_level_encoding != PageEncoding::kBitPacked) {
    return Corrupt("page has levels of an unknown encoding", page_.offset);
  }
  if (level_bytes > static_cast<int64_t>(body.size())) return Corrupt("page ends within its levels", page_.offset);
  const auto split = static_cast<size_t>(level_bytes);
  return PageBytes{.def_levels = body.first(split), .values = body.subspan(split)};
}

Result<PageBytes> PageStream::Load() {
  const PageHeader& header = page_.header;
  if (header.type == PageType::kData) {
    ARROW_ASSIGN_OR_RAISE(const Bytes body, InflateBody(page_, 0, &body_));
    return SplitV1(body);
  }
  PageBytes page;
  ARROW_ASSIGN_OR_RAISE(page.values, InflateBody(page_, int64_t{header.rep_level_bytes} + header.def_level_bytes, &body_));
  if (max_def_level_ == 0) return page;
  ARROW_ASSIGN_OR_RAISE(const Bytes whole, View(page_.offset + header.header_bytes, header.compressed_bytes));
  page.def_levels = whole.subspan(static_cast<size_t>(header.rep_level_bytes), static_cast<size_t>(header.def_level_bytes));
  return page;
}

Result<bool> PageStream::LoadInto(std::span<uint8_t> out) {
  const PageHeader& header = page_.header;
  if (compression_ == arrow::Compression::UNCOMPRESSED || !header.is_compressed || out.empty()) return false;
  const int64_t level_bytes = header.uncompressed_bytes - static_cast<int64_t>(out.size());
  if (level_bytes < 0) return false;
  if (max_def_level_ > 0 && header.type == PageType::kData) return InflateBehindLevels(level_bytes, out);
  if (level_bytes != int64_t{header.rep_level_bytes} + header.def_level_bytes) return false;
  ARROW_ASSIGN_OR_RAISE(const Bytes body, StoredBody(page_));
  if (max_def_level_ > 0 && !IsWithoutNulls(body.subspan(static_cast<size_t>(header.rep_level_bytes), static_cast<size_t>(header.def_level_bytes)))) {
    return false;
  }
  ARROW_RETURN_NOT_OK(Explain(Inflate(body.subspan(static_cast<size_t>(level_bytes)), out)));
  return true;
}

// A v1 page's levels are compressed together with its values: they land before `out`, are looked at, and what was there comes back.
Result<bool> PageStream::InflateBehindLevels(int64_t level_bytes, std::span<uint8_t> out) {
  constexpr int64_t kLengthBytes = 4;
  if (page_.header.def_level_encoding != PageEncoding::kRle || level_bytes < kLengthBytes || level_bytes > kLevelRoom) return false;
  ARROW_ASSIGN_OR_RAISE(const Bytes body, StoredBody(page_));
  uint8_t* const levels = out.data() - level_bytes;
  uint8_t saved[kLevelRoom];
  std::memcpy(saved, levels, static_cast<size_t>(level_bytes));
  const Status inflated = Inflate(body, {levels, static_cast<size_t>(level_bytes) + out.size()});
  uint32_t length = 0;
  std::memcpy(&length, levels, kLengthBytes);
  const bool whole = inflated.ok() && length == level_bytes - kLengthBytes && IsWithoutNulls({levels + kLengthBytes, length});
  std::memcpy(levels, saved, static_cast<size_t>(level_bytes));
  ARROW_RETURN_NOT_OK(Explain(inflated));
  return whole;
}

// Whether the current page's levels are one run of ones, as writers leave it.
bool PageStream::IsWithoutNulls(std::span<const uint8_t> levels) const {
  RunDecoder runs;
  runs.Reset(levels, 1);
  const auto ones = runs.LeadingOnes(page_.rows);
  return ones.ok() && *ones == page_.rows;
}

// At once, although it may not be needed: coming back for it would read the file backwards.
Status PageStream::LoadDictionary(const PageHeader& header, int64_t offset) {
  if (has_dictionary_ || next_row_ > 0) return Corrupt("dictionary page is out of place", offset);
  if (header.encoding != PageEncoding::kPlain && header.encoding != PageEncoding::kPlainDictionary) {
    return Corrupt("dictionary page has an unknown encoding", offset);
  }
  has_dictionary_ = true;
  dictionary_value_count_ = header.value_count;
  ARROW_ASSIGN_OR_RAISE(dictionary_, InflateBody(Page{.header = header, .offset = offset}, 0, &dictionary_body_));
  if (dictionary_.empty() || (dictionary_body_ != nullptr && dictionary_.data() == dictionary_body_->data())) return Status::OK();
  // Uncompressed: a view of the window, which moves on.
  ARROW_RETURN_NOT_OK(Explain(Grow(static_cast<int64_t>(dictionary_.size()), pool_, &dictionary_body_)));
  std::memcpy(dictionary_body_->mutable_data(), dictionary_.data(), dictionary_.size());
  dictionary_ = {dictionary_body_->data(), dictionary_.size()};
  return Status::OK();
}

Result<Bytes> PageStream::Dictionary(int32_t* value_count) const {
  if (!has_dictionary_) return Corrupt("page needs a dictionary that its column chunk lacks", page_.offset);
  *value_count = dictionary_value_count_;
  return dictionary_;
}

}  // namespace vecruntime::parquet
