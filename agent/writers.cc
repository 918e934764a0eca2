#include "agent/writers.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "agent/heartbeat.h"
#include "agent/record.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::string_view kSuffix = ".alive";

std::string describe(const std::optional<Heartbeat>& beat, const Identity& self, const std::string& file) {
  if (!beat) return "the writer of " + file;
  return "attempt " + std::to_string(beat->who.attempt) + " index " + std::to_string(beat->who.index) + " of " +
         (beat->who.job_uid == self.job_uid ? "this job" : "another job (UID " + beat->who.job_uid + ")") +
         ", pod UID " + beat->who.pod_uid;
}

bool is_stranger(const std::optional<Heartbeat>& beat, const Identity& self) {
  if (!beat) return true;
  if (beat->who.pod_uid == self.pod_uid) return false;
  const bool peer =
      beat->who.job_uid == self.job_uid && beat->who.attempt == self.attempt && beat->who.index != self.index;
  return !peer;
}

bool ended(const std::optional<std::string>& record_text, const std::optional<Heartbeat>& beat) {
  const auto record = record_text ? decode_record(*record_text) : std::nullopt;
  return record && beat && record->pod_uid == beat->who.pod_uid && record->job_uid == beat->who.job_uid;
}

}  // namespace

Result<std::vector<Sighting>> sight_writers(const VolumeFiles& files, const VolumeLayout& layout,
                                            const Identity& self) {
  std::vector<Sighting> sightings;
  const auto attempts = files.list(layout.attempts());
  if (!attempts) return std::unexpected(attempts.error());
  for (const std::string& attempt : *attempts) {
    const auto directory = layout.attempts() / attempt;
    const auto names = files.list(directory);
    if (!names) {
      if (names.error().error_class == runtime::ErrorClass::NotFound) continue;
      return std::unexpected(names.error());
    }
    for (const std::string& name : *names) {
      if (!name.ends_with(kSuffix) || name.starts_with('.')) continue;
      const auto text = files.read(directory / name);
      if (!text) return std::unexpected(text.error());
      if (!*text) continue;
      const auto beat = decode_heartbeat(**text);
      if (!is_stranger(beat, self)) continue;
      const auto record = files.read(directory / (name.substr(0, name.size() - kSuffix.size()) + ".json"));
      if (!record) return std::unexpected(record.error());
      if (ended(*record, beat)) continue;
      const std::string file = "attempts/" + attempt + "/" + name;
      sightings.push_back({.who = describe(beat, self, file),
                           .file = file,
                           .text = **text,
                           .period = beat ? beat->period : std::chrono::milliseconds(0)});
    }
  }
  return sightings;
}

WriterWatch::Verdict WriterWatch::see(runtime::Instant now, const std::vector<Sighting>& sightings) {
  if (!start_) start_ = now;
  if (last_look_) leave_out(now, now - *last_look_);
  last_look_ = now;
  auto longest = own_period_;
  const Sighting* moving = nullptr;
  for (const Sighting& each : sightings) {
    const auto period = std::max(own_period_, each.period);
    longest = std::max(longest, period);
    auto& seen = seen_.try_emplace(each.file, Seen{.text = each.text, .since = now}).first->second;
    if (seen.text != each.text) seen = {.text = each.text, .since = now};
    if (now - seen.since < period * 5 / 2) moving = &each;
  }
  if (moving == nullptr) return Verdict::Clear;
  if (now - *start_ < longest * 10) return Verdict::Wait;
  refusal_ = moving->who + " still writes to this volume: end it first, or wait until it has ended";
  return Verdict::Refuse;
}

// A volume that did not answer has held up the writers' beats too.
void WriterWatch::leave_out(runtime::Instant now, runtime::Instant::duration gap) {
  if (gap <= own_period_ * 3 / 2) return;
  *start_ += gap;
  for (auto& [file, seen] : seen_) seen.since = now;
}

}  // namespace reprise::agent
