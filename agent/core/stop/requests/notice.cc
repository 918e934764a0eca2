#include "agent/core/stop/requests/notice.h"

#include <boost/json/object.hpp>
#include <csignal>

#include "agent/core/run/annotations.h"
#include "agent/core/stop/telling/told.h"
#include "agent/json/json.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {

std::string encode_notice(NoticeReason reason, std::chrono::milliseconds time_left, std::int32_t attempt,
                          std::int32_t request, const std::optional<SaveStep>& step) {
  boost::json::object notice{{"reason", reason == NoticeReason::Stop ? "Stop" : "CheckpointRequest"},
                             {"deadlineSeconds", std::chrono::duration_cast<std::chrono::seconds>(time_left).count()},
                             {"attempt", attempt},
                             {"request", request}};
  if (step) {
    notice["step"] = step->step;
    notice["agreed"] = step->agreed;
  }
  return to_text(notice);
}

NoticeDelivery deliver_notice(const Environment& env, const Host& host, const std::vector<Process>& processes,
                              const VolumeFiles& files, NoticeReason reason, std::chrono::milliseconds time_left,
                              std::int32_t request) {
  NoticeDelivery delivery;
  if (!env.notice_file.empty()) {
    const auto written = files.write(env.notice_file, encode_notice(reason, time_left, env.attempt, request), Sync::No);
    delivery.by_file = written.has_value();
    if (!written) delivery.problem = written.error().message;
  }
  // SIGTERM as the notice signal is what happens without one.
  if (env.notice_signal != 0 && env.notice_signal != SIGTERM) {
    for (const pid_t pid : told_to_answer(env.notice_signal, host.pid(), processes)) {
      if (host.send(pid, env.notice_signal)) delivery.by_signal = true;
    }
  }
  return delivery;
}

void remove_notice(const Environment& env, const VolumeFiles& files) {
  if (!env.notice_file.empty()) static_cast<void>(files.remove(env.notice_file));
}

std::optional<std::string> read_checkpoint_request(const Environment& env, const VolumeFiles& files) {
  if (env.annotations_file.empty()) return std::nullopt;
  return read_annotation(files, env.annotations_file, protocol::kCheckpointRequestAnnotation).value_or(std::nullopt);
}

}  // namespace reprise::agent
