#include "agent/core/stop/requests/checkpoint_requests.h"

#include <utility>

namespace reprise::agent {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kScanTimeout{500};
constexpr milliseconds kNoticeTimeout{2'000};

}  // namespace

// The notice file may lie on the volume.
NoticeDelivery CheckpointRequests::notify(NoticeReason reason, milliseconds left) {
  const std::int32_t request = ++requests_;
  if (together_.ask(reason, left, request)) return {.by_file = true};
  // The ranks of a gang are asked at one moment: who is asked by no signal is not looked for.
  const bool by_signal = session_.env.notice_signal != 0;
  std::vector<Process> processes = by_signal ? processes_now() : std::vector<Process>();
  if (session_.env.notice_file.empty())
    return deliver_notice(session_.env, session_.host, processes, session_.volume->files, reason, left, request);
  auto delivered = std::make_shared<NoticeDelivery>();
  const bool ended =
      session_.bounded(kNoticeTimeout, [env = session_.env, host = &session_.host, processes = std::move(processes),
                                        volume = session_.volume, reason, left, request, delivered] {
        *delivered = deliver_notice(env, *host, processes, volume->files, reason, left, request);
      });
  return ended ? *delivered : NoticeDelivery{.problem = "the notice file could not be written in time"};
}

void CheckpointRequests::look_at_annotation() {
  auto found = read_checkpoint_request(session_.env, session_.volume->files);
  if (!found || found == annotation_) return;
  annotation_ = std::move(found);
  baseline_ = newest_now();
  const auto delivered = notify(NoticeReason::CheckpointRequest, session_.env.grace);
  open_ = delivered.any();
  requested_ = requested_ || open_;
  session_.host.say(delivered.any()
                        ? "the trainer was asked for a checkpoint"
                        : "a checkpoint was requested, but the trainer takes neither a signal nor a notice file");
}

void CheckpointRequests::settle() {
  if (!open_) return;
  const auto seen = watch_->seen();
  if (!seen.durable || !is_newer(*seen.durable, baseline_)) return;
  open_ = false;
  together_.take_back();
  remove_notice(session_.env, session_.volume->files);
}

std::optional<Checkpoint> CheckpointRequests::newest_now() {
  auto newest = std::make_shared<std::optional<Checkpoint>>(watch_->seen().newest);
  auto found = std::make_shared<std::optional<Checkpoint>>();
  auto known = std::make_shared<bool>(false);
  const bool ended = session_.bounded(kScanTimeout, [watch = watch_, found, known] {
    if (auto now = watch->newest_now()) {
      *found = *now;
      *known = true;
    }
  });
  knows_newest_ = ended && *known;
  return knows_newest_ ? *found : *newest;
}

std::vector<Process> CheckpointRequests::processes_now() {
  return witness_.take(session_.host.processes(), session_.clock.steady());
}

}  // namespace reprise::agent
