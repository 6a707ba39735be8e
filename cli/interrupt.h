// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the first cancels the running statement, the second ends the process.
#pragma once

#include <memory>

namespace vecruntime {
class Session;
}

namespace vecruntime::cli {

/// Keeps SIGINT and SIGTERM from every thread started afterwards.
void BlockInterrupts();

/// From here on the blocked signals cancel `session`'s statement; a second one ends the process with 130. Called once.
void CancelOnInterrupt(std::shared_ptr<Session> session);

/// Whether an interrupt has come.
bool Interrupted();

}  // namespace vecruntime::cli
