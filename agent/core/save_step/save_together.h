// Asks a trainer that reads notices (notice_reader.h) for a save, and for one at the same step in all ranks where
// several processes have to save together.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "agent/core/run/session.h"
#include "agent/core/run/worker.h"
#include "agent/core/stop/requests/notice.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// The notice comes from a thread of its own, which may hang in the storage; the newest notice alone is at work.
class SavingTogether {
 public:
  explicit SavingTogether(Session& session) : session_(session) {}

  // False: the trainer has not said that it reads notices; or its ranks cannot agree, since not all of them are asked.
  // `left`: for the save; `request`: of this attempt (notice.h). A notice that follows another one before its save
  // keeps the step that was agreed.
  [[nodiscard]] bool ask(NoticeReason reason, std::chrono::milliseconds left, std::int32_t request);
  // Whether a trainer is to be told to end: once it has saved, but who answers a notice may end by itself for some
  // seconds. A signal would come into its libraries' last collectives, and have its ranks wait for each other.
  [[nodiscard]] bool is_to_end(bool saved);
  // A request was met: nobody is to answer it again.
  void take_back();
  // Nothing is written any more.
  void finish();

 private:
  Session& session_;
  std::filesystem::path file_;
  std::unique_ptr<Worker> worker_;
  std::shared_ptr<std::atomic<std::int64_t>> agreed_;  // step of the last agreement; 0: none yet
  std::optional<runtime::Instant> saved_at_;           // when it was first seen
};

}  // namespace reprise::agent
