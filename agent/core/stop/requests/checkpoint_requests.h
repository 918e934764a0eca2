// Requests for a checkpoint: by the notice file, and by a signal to those who handle it. A stop makes one, and so does
// the operator's annotation.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/run/session.h"
#include "agent/core/save_step/save_together.h"
#include "agent/core/stop/requests/notice.h"
#include "agent/core/stop/telling/witness.h"
#include "agent/core/watch/watch.h"

namespace reprise::agent {

// One attempt's; the main thread's.
class CheckpointRequests {
 public:
  // `annotation` is the one that was there before the trainer ran: what comes later is a request.
  CheckpointRequests(Session& session, std::shared_ptr<CheckpointWatch> watch, Witness& witness,
                     std::optional<std::string> annotation)
      : session_(session), watch_(std::move(watch)), witness_(witness), annotation_(std::move(annotation)) {}

  // Asks the trainer.
  NoticeDelivery notify(NoticeReason reason, std::chrono::milliseconds left);
  // Asks it where the annotation is another one: without an end, and never by SIGTERM.
  void look_at_annotation();
  // The notice file goes when the request by annotation is met.
  void settle();
  // True if a trainer that was told to stop is to be told to end (save_together.h).
  [[nodiscard]] bool is_to_end(bool saved) { return together_.is_to_end(saved); }
  // Nobody is asked any more.
  void finish() { together_.finish(); }
  // A stop has taken the place of an open one.
  void close() { open_ = false; }

  // The newest checkpoint: one that was complete before a request does not count as the answer.
  [[nodiscard]] std::optional<Checkpoint> newest_now();
  // The last newest_now() came from the volume.
  [[nodiscard]] bool knows_newest() const { return knows_newest_; }

  // The trainer has ever got a request short of a stop.
  void note_request() { requested_ = true; }
  [[nodiscard]] bool requested() const { return requested_; }

 private:
  [[nodiscard]] std::vector<Process> processes_now();

  Session& session_;
  std::shared_ptr<CheckpointWatch> watch_;
  Witness& witness_;
  SavingTogether together_{session_};
  std::optional<std::string> annotation_;
  std::optional<Checkpoint> baseline_;
  bool open_ = false;  // a checkpoint was requested and has not come
  bool requested_ = false;
  bool knows_newest_ = false;
  std::int32_t requests_ = 0;
};

}  // namespace reprise::agent
