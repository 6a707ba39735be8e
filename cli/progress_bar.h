// SPDX-License-Identifier: Apache-2.0
// A line on standard error while a statement runs for more than a second; nothing when that is no terminal.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace vecruntime {
class Session;
}

namespace vecruntime::cli {

/// Shows from construction until Stop or destruction, which erase the line.
class ProgressBar {
 public:
  explicit ProgressBar(std::shared_ptr<Session> session);
  ~ProgressBar();
  void Stop();

 private:
  void Show();

  std::shared_ptr<Session> session_;
  std::mutex mutex_;
  std::condition_variable stop_changed_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace vecruntime::cli
