// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "vecruntime/session.h"

namespace vecruntime::cli {
namespace {

std::atomic<bool> interrupted{false};

sigset_t Interrupts() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

void BlockInterrupts() {
  const sigset_t set = Interrupts();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void CancelOnInterrupt(std::shared_ptr<Session> session) {
  // A thread of its own may lock and allocate, which a signal handler may not.
  std::thread([session = std::move(session)] {
    const sigset_t set = Interrupts();
    int signal = 0;
    sigwait(&set, &signal);
    interrupted.store(true);
    session->Cancel();
    sigwait(&set, &signal);
    _exit(ExitCode(ErrorKind::kCancelled));
  }).detach();
}

bool Interrupted() { return interrupted.load(); }

}  // namespace vecruntime::cli
