// Input of the agent: files on a volume that trainers and other attempts write to, and the downward API.
#include "agent/core/aside/set_aside.h"
#include "agent/core/aside/torn_in_place.h"
#include "agent/core/fencing/fence.h"
#include "agent/core/fencing/former_attempts.h"
#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/record/record.h"
#include "agent/core/record/time_text.h"
#include "agent/core/restore/resume_point.h"
#include "agent/core/run/annotations.h"
#include "agent/formats/checkpoint_name.h"
#include "tests/fuzz/invariant.h"

namespace agent = reprise::agent;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = reprise::fuzz::text_of(data, size);
  (void)agent::annotation_of(text, "reprise.dev/checkpoint-request");
  (void)agent::decode_former_jobs(text);
  (void)agent::decode_set_aside(text);
  (void)agent::decode_torn(text, {.job_uid = "job", .pod_uid = {}, .attempt = 1, .index = 0});
  if (const auto heartbeat = agent::decode_heartbeat(text))
    reprise::fuzz::invariant(
        heartbeat->period >= std::chrono::milliseconds(0) && heartbeat->period <= agent::kLongestHeartbeatPeriod,
        "a period stays within its bounds");
  (void)agent::decode_resume_point(text);
  (void)agent::parse_time_text(text);
  if (const auto step = agent::step_of(text)) reprise::fuzz::invariant(*step >= 0, "a step is not negative");
  if (const auto fence = agent::decode_fence(text))
    reprise::fuzz::invariant(agent::decode_fence(agent::encode_fence(*fence)) == fence,
                             "a fence survives being written");
  // Written and read again, a record says the same, but for what had to be cut to fit a termination message.
  if (const auto record = agent::decode_record(text)) {
    const auto again = agent::decode_record(agent::encode_record(*record));
    reprise::fuzz::invariant(again.has_value(), "what is written can be read");
    reprise::fuzz::invariant(again->attempt == record->attempt && again->exit_code == record->exit_code &&
                                 again->finished == record->finished && again->step == record->step,
                             "a record survives being written");
  }
  return 0;
}
