// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/base/error.h"

#include <array>
#include <string>

namespace vecruntime {
namespace {

struct KindRow {
  ErrorKind kind;
  std::string_view name;
  int exit_code;
  arrow::StatusCode arrow_code;
};

// One table for every face: CLI exit code, Arrow code and (later) the C ABI read it.
constexpr std::array<KindRow, 11> kKinds = {{
    {ErrorKind::kInvalidArgument, "InvalidArgument", 2, arrow::StatusCode::Invalid},
    {ErrorKind::kNotFound, "NotFound", 3, arrow::StatusCode::KeyError},
    {ErrorKind::kUnsupported, "Unsupported", 4, arrow::StatusCode::NotImplemented},
    {ErrorKind::kCorruptData, "CorruptData", 5, arrow::StatusCode::SerializationError},
    {ErrorKind::kIoError, "IoError", 6, arrow::StatusCode::IOError},
    {ErrorKind::kConflict, "Conflict", 7, arrow::StatusCode::AlreadyExists},
    {ErrorKind::kCommitStateUnknown, "CommitStateUnknown", 8, arrow::StatusCode::UnknownError},
    {ErrorKind::kResourceExhausted, "ResourceExhausted", 9, arrow::StatusCode::OutOfMemory},
    {ErrorKind::kCancelled, "Cancelled", 130, arrow::StatusCode::Cancelled},
    {ErrorKind::kPermissionDenied, "PermissionDenied", 10, arrow::StatusCode::IOError},
    {ErrorKind::kInternal, "Internal", 70, arrow::StatusCode::UnknownError},
}};

const KindRow& RowOf(ErrorKind kind) { return kKinds[static_cast<size_t>(kind)]; }

constexpr char kDetailTypeId[] = "vecruntime::ErrorKind";

class KindDetail : public arrow::StatusDetail {
 public:
  explicit KindDetail(ErrorKind kind) : kind_(kind) {}
  const char* type_id() const override { return kDetailTypeId; }
  std::string ToString() const override { return std::string(KindName(kind_)); }
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace

ErrorKind KindOf(const arrow::Status& status) {
  if (status.detail() && status.detail()->type_id() == kDetailTypeId) {
    return static_cast<const KindDetail&>(*status.detail()).kind();
  }
  switch (status.code()) {
    case arrow::StatusCode::Invalid:
    case arrow::StatusCode::TypeError:
      return ErrorKind::kInvalidArgument;
    case arrow::StatusCode::KeyError:
      return ErrorKind::kNotFound;
    case arrow::StatusCode::NotImplemented:
      return ErrorKind::kUnsupported;
    case arrow::StatusCode::SerializationError:
      return ErrorKind::kCorruptData;
    case arrow::StatusCode::IOError:
      return ErrorKind::kIoError;
    case arrow::StatusCode::OutOfMemory:
    case arrow::StatusCode::CapacityError:
      return ErrorKind::kResourceExhausted;
    case arrow::StatusCode::Cancelled:
      return ErrorKind::kCancelled;
    default:
      return ErrorKind::kInternal;
  }
}

std::string_view KindName(ErrorKind kind) { return RowOf(kind).name; }
int ExitCode(ErrorKind kind) { return RowOf(kind).exit_code; }

namespace base {

std::shared_ptr<arrow::StatusDetail> DetailOf(ErrorKind kind) { return std::make_shared<KindDetail>(kind); }
arrow::StatusCode ArrowCodeOf(ErrorKind kind) { return RowOf(kind).arrow_code; }

arrow::Status WithContext(const arrow::Status& status, std::string_view context) {
  if (status.ok()) return status;
  return MakeError(KindOf(status), status.message(), " (", context, ")");
}

}  // namespace base
}  // namespace vecruntime
