#include "agent/core/heartbeats/heartbeat.h"

#include <algorithm>

#include "agent/json/json.h"

namespace reprise::agent {

std::string encode_heartbeat(const Heartbeat& heartbeat) {
  std::string text = to_text({{"counter", static_cast<std::int64_t>(heartbeat.counter)},
                              {"jobUid", heartbeat.who.job_uid},
                              {"podUid", heartbeat.who.pod_uid},
                              {"attempt", heartbeat.who.attempt},
                              {"index", heartbeat.who.index},
                              {"beatMilliseconds", static_cast<std::int64_t>(heartbeat.period.count())}});
  constexpr std::size_t kBlock = 512;
  text.resize((text.size() / kBlock + 1) * kBlock, ' ');
  return text;
}

std::optional<Heartbeat> decode_heartbeat(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return std::nullopt;
  const auto counter = number_of(*object, "counter");
  const auto job_uid = text_of(*object, "jobUid");
  const auto pod_uid = text_of(*object, "podUid");
  const auto attempt = number_of(*object, "attempt");
  const auto index = number_of(*object, "index");
  if (!counter || !job_uid || !pod_uid || !attempt || !index) return std::nullopt;
  return Heartbeat{.who = {.job_uid = *job_uid,
                           .pod_uid = *pod_uid,
                           .attempt = static_cast<std::int32_t>(*attempt),
                           .index = static_cast<std::int32_t>(*index)},
                   .counter = static_cast<std::uint64_t>(*counter),
                   .period = std::clamp(std::chrono::milliseconds(number_of(*object, "beatMilliseconds").value_or(0)),
                                        std::chrono::milliseconds(0), kLongestHeartbeatPeriod)};
}

bool moves_by_time(const VolumeFiles& files) {
  const auto kind = files.kind();
  return kind && !kind->fuse;
}

}  // namespace reprise::agent
