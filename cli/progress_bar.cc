// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "vecruntime/session.h"

namespace vecruntime::cli {
namespace {

constexpr auto kFirstAfter = std::chrono::seconds(1);
constexpr auto kEvery = std::chrono::milliseconds(150);
constexpr int kBarCells = 30;

std::string BarText(const Progress& progress, double seconds) {
  const double share = progress.files_total == 0
                           ? 0
                           : std::min(1.0, static_cast<double>(progress.files_done) / static_cast<double>(progress.files_total));
  const int full = static_cast<int>(share * kBarCells);
  std::string bar;
  for (int cell = 0; cell < kBarCells; ++cell) bar += cell < full ? "━" : "─";
  char text[160];
  std::snprintf(text, sizeof(text), "\r\x1b[K%s %3d%%  %lld/%lld files  %.1fM rows  %.1f s", bar.c_str(), static_cast<int>(share * 100),
                static_cast<long long>(progress.files_done), static_cast<long long>(progress.files_total),
                static_cast<double>(progress.rows_read) / 1e6, seconds);
  return text;
}

}  // namespace

ProgressBar::ProgressBar(std::shared_ptr<Session> session) : session_(std::move(session)) {
  if (isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { Show(); });
}

ProgressBar::~ProgressBar() { Stop(); }

void ProgressBar::Stop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  stop_changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ProgressBar::Show() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock(mutex_);
  if (stop_changed_.wait_for(lock, kFirstAfter, [this] { return stop_; })) return;
  do {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::string text = BarText(session_->progress(), seconds);
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  } while (!stop_changed_.wait_for(lock, kEvery, [this] { return stop_; }));
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace vecruntime::cli
