// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/io/local_file.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "vecruntime/base/error.h"

namespace vecruntime::io {
namespace {

class LocalFile : public arrow::io::RandomAccessFile {
 public:
  LocalFile(int fd, int64_t size, std::string location) : fd_(fd), size_(size), location_(std::move(location)) {}
  ~LocalFile() override { (void)Close(); }

  arrow::Status Close() override {
    const int fd = fd_.exchange(-1);
    if (fd >= 0) ::close(fd);
    return arrow::Status::OK();
  }
  bool closed() const override { return fd_.load() < 0; }
  arrow::Result<int64_t> GetSize() override { return size_; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override {
    if (position < 0) return base::InvalidArgument("negative seek in file ", location_);
    position_ = position;
    return arrow::Status::OK();
  }

  // Short only at the end of the file, as arrow::io asks.
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t nbytes, void* out) override {
    if (position < 0 || nbytes < 0) return base::InvalidArgument("negative read position or length in file ", location_);
    int64_t done = 0;
    while (done < nbytes) {
      const ssize_t got = ::pread(fd_.load(), static_cast<char*>(out) + done, static_cast<size_t>(nbytes - done), position + done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return ErrnoStatus(errno, "cannot read file", location_);
      if (got == 0) break;
      done += got;
    }
    return done;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t nbytes) override {
    // Clipped to the file before allocating: lengths may come from corrupt metadata.
    nbytes = std::clamp<int64_t>(size_ - position, 0, std::max<int64_t>(nbytes, 0));
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(nbytes));
    ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position, nbytes, buffer->mutable_data()));
    if (got < nbytes) ARROW_RETURN_NOT_OK(buffer->Resize(got));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

  arrow::Result<int64_t> Read(int64_t nbytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position_, nbytes, out));
    position_ += got;
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t nbytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, nbytes));
    position_ += buffer->size();
    return buffer;
  }

 private:
  std::atomic<int> fd_;
  const int64_t size_;
  const std::string location_;
  int64_t position_ = 0;
};

int64_t Nanoseconds(const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

// File times advance with the kernel's tick, ten milliseconds at most.
constexpr int64_t kClockTickNs = 20'000'000;

FileIdentity IdentityOf(const struct stat& info, const std::string& path) {
  FileIdentity identity{.location = path,
                        .size = info.st_size,
                        .modified_ns = Nanoseconds(info.st_mtim),
                        .changed_ns = Nanoseconds(info.st_ctim),
                        .device = info.st_dev,
                        .inode = info.st_ino};
  timespec now {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  identity.settled = Nanoseconds(now) - std::max(identity.modified_ns, identity.changed_ns) > kClockTickNs;
  return identity;
}

}  // namespace

arrow::Status ErrnoStatus(int error_number, const char* what, const std::string& location) {
  const ErrorKind kind = error_number == ENOENT || error_number == ENOTDIR ? ErrorKind::kNotFound
                         : error_number == EACCES || error_number == EPERM ? ErrorKind::kPermissionDenied
                                                                           : ErrorKind::kIoError;
  return base::MakeError(kind, what, " ", location, ": ", std::strerror(error_number));
}

arrow::Result<IdentifiedFile> OpenLocalFile(const std::string& path, const std::string& location) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, "cannot open file", location);
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    const int error_number = errno;
    ::close(fd);
    return ErrnoStatus(error_number, "cannot stat file", location);
  }
  if (!S_ISREG(info.st_mode)) {
    ::close(fd);
    return base::IoError("not a regular file: ", location);
  }
  return IdentifiedFile{std::make_shared<LocalFile>(fd, info.st_size, location), IdentityOf(info, path)};
}

arrow::Result<FileIdentity> IdentifyLocalFile(const std::string& path, const std::string& location) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return ErrnoStatus(errno, "cannot open file", location);
  if (!S_ISREG(info.st_mode)) return base::IoError("not a regular file: ", location);
  return IdentityOf(info, path);
}

}  // namespace vecruntime::io
