#include "agent/core/fencing/writers.h"

#include <algorithm>
#include <utility>

#include "agent/core/fencing/attempts.h"
#include "agent/core/fencing/open_attempts.h"
#include "agent/core/heartbeats/own_heart.h"
#include "agent/core/record/record.h"
#include "agent/core/unreadable/lost_texts.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::string_view kSuffix = ".alive";
constexpr int kMostPeriods = 240;
constexpr std::int32_t kLooksAhead = 4;  // attempts: where a job before has left thousands, a look stays cheap

std::string describe(const std::optional<Heartbeat>& heartbeat, const Identity& self, const std::string& file) {
  if (!heartbeat) return "the writer of " + file;
  return "attempt " + std::to_string(heartbeat->who.attempt) + " index " + std::to_string(heartbeat->who.index) +
         " of " +
         (heartbeat->who.job_uid == self.job_uid ? "this job" : "another job (UID " + heartbeat->who.job_uid + ")") +
         ", pod UID " + heartbeat->who.pod_uid;
}

bool is_stranger(const std::optional<Heartbeat>& heartbeat, const Identity& self) {
  if (!heartbeat) return true;
  if (heartbeat->who.pod_uid == self.pod_uid) return false;
  const bool peer = heartbeat->who.job_uid == self.job_uid && heartbeat->who.attempt == self.attempt &&
                    heartbeat->who.index != self.index;
  return !peer;
}

// The name that tells sightings apart.
std::string file_of(const std::filesystem::path& heart) {
  return "attempts/" + heart.parent_path().filename().string() + "/" + heart.filename().string();
}

bool ended(const std::optional<std::string>& record_text, const std::optional<Heartbeat>& heartbeat) {
  const auto record = record_text ? decode_record(*record_text) : std::nullopt;
  return record && heartbeat && record->pod_uid == heartbeat->who.pod_uid && record->job_uid == heartbeat->who.job_uid;
}

}  // namespace

Result<std::vector<Sighting>> WriterSearch::look(const std::function<runtime::Instant()>& answered) {
  std::vector<Sighting> sightings;
  const auto attempts = files_.list(layout_.attempts());
  if (!attempts) return std::unexpected(attempts.error());
  static_cast<void>(answered());
  auto looks_into = later_ones(*attempts, answered);
  if (!looks_into) return std::unexpected(looks_into.error());
  for (const std::string& attempt : *attempts)
    if (is_open(open_, attempt)) looks_into->push_back(attempt);
  for (const std::string& attempt : *looks_into) {
    if (const auto looked = look_into(attempt, answered, sightings); !looked) return std::unexpected(looked.error());
  }
  add_missing(sightings);
  return sightings;
}

void WriterSearch::look_ahead() {
  ahead_ = true;
  lost_.read_once_more();
}

void WriterSearch::add_missing(std::vector<Sighting>& sightings) {
  std::map<std::string, Sighting> now;
  for (const Sighting& each : sightings) now.emplace(each.file, each);
  for (auto& [file, sighting] : std::exchange(last_, now)) {
    if (now.contains(file)) continue;
    sightings.push_back(std::move(sighting));
    sightings.back().at.reset();
  }
}

std::optional<Heartbeat> WriterSearch::heartbeat_in(const std::string& file, const std::optional<std::string>& text) {
  const auto heartbeat = text ? decode_heartbeat(*text) : std::nullopt;
  if (heartbeat) return heartbeats_.insert_or_assign(file, *heartbeat).first->second;
  const auto before = heartbeats_.find(file);
  return before == heartbeats_.end() ? std::nullopt : std::optional(before->second);
}

Result<std::vector<std::string>> WriterSearch::later_ones(const std::vector<std::string>& attempts,
                                                          const std::function<runtime::Instant()>& answered) const {
  std::vector<std::string> near, later;
  std::vector<std::filesystem::path> heartbeats;
  for (const std::string& attempt : attempts) {
    const auto number = attempt_of(attempt);
    if (!ahead_ || !number || is_open(open_, attempt)) continue;
    if (*number <= self_.attempt || *number - self_.attempt > kLooksAhead) continue;
    near.push_back(attempt);
    heartbeats.push_back(layout_.alive(*number, 0));
  }
  const auto take = [&](std::size_t at, const std::optional<std::string>& text) {
    static_cast<void>(answered());
    const auto heartbeat = text ? decode_heartbeat(*text) : std::nullopt;
    if (text && (!heartbeat || heartbeat->who.job_uid == self_.job_uid)) later.push_back(near[at]);
  };
  const auto lost = [&](std::size_t at, const runtime::Error& error) -> Result<void> {
    if (!lost_.are_judged()) return std::unexpected(error);
    later.push_back(near[at]);
    return {};
  };
  const auto heard = read_each(files_, heartbeats, {.take = take, .lost = lost});
  if (!heard) return std::unexpected(heard.error());
  return later;
}

void WriterSearch::add_lost(const std::filesystem::path& heart, runtime::Instant now,
                            std::vector<Sighting>& sightings) {
  const std::string file = file_of(heart);
  const auto before = heartbeat_in(file, std::nullopt);
  if (!is_stranger(before, self_)) return;
  sightings.push_back({.who = describe(before, self_, file),
                       .file = file,
                       .text = lost_.mark_of(heart),
                       .period = before ? before->period : std::chrono::milliseconds(0),
                       .at = now,
                       .lost = true});
}

Result<std::vector<std::filesystem::path>> WriterSearch::hearts_to_read(
    const std::string& attempt, const std::vector<std::string>& names,
    const std::function<runtime::Instant()>& answered, std::vector<Sighting>& sightings) {
  std::vector<std::filesystem::path> hearts;
  for (const std::string& name : names) {
    if (!name.ends_with(kSuffix) || name.starts_with('.')) continue;
    const auto heart = layout_.attempts() / attempt / name;
    const auto state = lost_.look(files_, heart, answered);
    if (!state) return std::unexpected(state.error());
    if (*state == LostHearts::State::ToBeRead) hearts.push_back(heart);
    if (*state == LostHearts::State::Waits) add_lost(heart, answered(), sightings);
    if (*state == LostHearts::State::GivenUp) last_.erase(file_of(heart));
  }
  return hearts;
}

Result<std::vector<WriterSearch::Stranger>> WriterSearch::strangers_among(
    const std::vector<std::filesystem::path>& heartbeats, const std::function<runtime::Instant()>& answered,
    std::vector<Sighting>& sightings) {
  std::vector<Stranger> strangers;
  const auto take = [&](std::size_t at, const std::optional<std::string>& text) {
    const auto now = answered();
    const std::string file = file_of(heartbeats[at]);
    const auto heartbeat = heartbeat_in(file, text);
    const auto known = ended_.find(file);
    const bool has_ended = known != ended_.end() && (!text || known->second == *text);
    if (has_ended || !is_stranger(heartbeat, self_)) {
      last_.erase(file);
      return;
    }
    strangers.push_back({.sighting = {.who = describe(heartbeat, self_, file),
                                      .file = file,
                                      .text = text.value_or(""),
                                      .period = heartbeat ? heartbeat->period : std::chrono::milliseconds(0),
                                      .at = now},
                         .heartbeat = heartbeat,
                         .path = heartbeats[at]});
  };
  const auto lost = [&](std::size_t at, const runtime::Error& error) -> Result<void> {
    if (!lost_.are_judged()) return std::unexpected(error);
    const auto state = lost_.gave_error(files_, heartbeats[at], answered);
    if (!state) return std::unexpected(state.error());
    if (*state == LostHearts::State::Waits) add_lost(heartbeats[at], answered(), sightings);
    if (*state == LostHearts::State::GivenUp) last_.erase(file_of(heartbeats[at]));
    return {};
  };
  if (auto heard = read_each(files_, heartbeats, {.take = take, .lost = lost}); !heard)
    return std::unexpected(heard.error());
  return strangers;
}

Result<std::vector<WriterSearch::Stranger>> WriterSearch::without_end_record(
    std::vector<Stranger> strangers, const std::function<runtime::Instant()>& answered) {
  std::vector<std::filesystem::path> records;
  for (const Stranger& each : strangers) records.push_back(std::filesystem::path(each.path).replace_extension(".json"));
  std::vector<Stranger> alive;
  const auto take = [&](std::size_t at, const std::optional<std::string>& text) {
    static_cast<void>(answered());
    if (ended(text, strangers[at].heartbeat)) {
      ended_[strangers[at].sighting.file] = strangers[at].sighting.text;
      last_.erase(strangers[at].sighting.file);
    } else {
      alive.push_back(std::move(strangers[at]));
    }
  };
  const auto lost = [&](std::size_t at, const runtime::Error& error) -> Result<void> {
    if (!lost_.are_judged()) return std::unexpected(error);
    take(at, std::nullopt);
    return {};
  };
  if (auto looked = read_each(files_, records, {.take = take, .lost = lost}); !looked)
    return std::unexpected(looked.error());
  return alive;
}

Result<void> WriterSearch::look_into(const std::string& attempt, const std::function<runtime::Instant()>& answered,
                                     std::vector<Sighting>& sightings) {
  const auto names = files_.list(layout_.attempts() / attempt);
  if (!names) {
    if (names.error().error_class == runtime::ErrorClass::NotFound) return {};
    return std::unexpected(names.error());
  }
  static_cast<void>(answered());
  const auto heartbeats = hearts_to_read(attempt, *names, answered, sightings);
  if (!heartbeats) return std::unexpected(heartbeats.error());
  auto strangers = strangers_among(*heartbeats, answered, sightings);
  if (!strangers) return std::unexpected(strangers.error());
  auto alive = without_end_record(std::move(*strangers), answered);
  if (!alive) return std::unexpected(alive.error());
  for (Stranger& each : *alive) {
    if (auto added = add_time(each.path, each.sighting.text); !added) return added;
    static_cast<void>(answered());
    sightings.push_back(std::move(each.sighting));
  }
  return {};
}

Result<void> WriterSearch::add_time(const std::filesystem::path& heartbeat, std::string& text) const {
  if (!moves_by_time(files_)) return {};
  const auto info = files_.look(heartbeat, Links::Stay);
  if (!info) return std::unexpected(info.error());
  if (*info) text += std::to_string((*info)->modified.time_since_epoch().count());
  return {};
}

void WriterWatch::begin(runtime::Instant now) {
  if (!last_answer_) last_answer_ = now;
  if (!began_) began_ = now;
  look_ = now;
}

void WriterWatch::answered(runtime::Instant now) {
  const auto before = last_answer_.value_or(now);
  last_answer_ = now;
  if (now - before > own_period_ * 3 / 2) return leave_out(now, now - before);
  slowest_ = std::max(slowest_, now - std::max(before, look_.value_or(now)));
}

WriterWatch::Verdict WriterWatch::see(runtime::Instant now, const std::vector<Sighting>& sightings) {
  if (!look_) begin(now);
  answered(now);
  look_.reset();
  if (!start_) start_ = now;
  auto longest = interval_of(own_period_);
  const Sighting* moving = nullptr;  // a moving one that was seen to move, if there is any
  bool moved = false;
  for (const Sighting& each : sightings) {
    const auto interval = interval_of(each.period);
    longest = std::max(longest, interval);
    const auto at = each.at.value_or(now);
    auto& seen = seen_.try_emplace(each.file, Seen{.text = each.text, .since = at, .lost = each.lost}).first->second;
    // Its writer has done nothing when a heartbeat can be read again, or no more.
    if (seen.lost != each.lost) seen = {.text = each.text, .since = at, .moved = seen.moved, .lost = each.lost};
    if (seen.text != each.text) seen = {.text = each.text, .since = at, .moved = true, .lost = each.lost};
    const bool is_still = !each.lost && at - seen.since >= interval * kStillHalfPeriods / 2;
    if (is_still || (moved && !seen.moved)) continue;
    moving = &each;
    moved = seen.moved;
  }
  if (moving == nullptr) return Verdict::Clear;
  if (moved && now - *start_ >= longest * 10) {
    rejection_ = moving->who + " still writes to this volume: end it first, or wait until it has ended";
    return Verdict::Reject;
  }
  if (now - *began_ < own_period_ * kMostPeriods) return Verdict::Wait;
  rejection_ = "the volume answers too slowly to tell whether " + moving->who + " still writes to it";
  return Verdict::Reject;
}

// Each time an agent reads its heartbeat, writes it and reads the fence. The smaller half of what a slow volume costs
// it is in the factor by which stillness exceeds a period.
runtime::Instant::duration WriterWatch::interval_of(std::chrono::milliseconds period) const {
  return std::max(own_period_, period) + slowest_ * 4;
}

// A volume that did not answer has held up the writers' heartbeats too.
void WriterWatch::leave_out(runtime::Instant now, runtime::Instant::duration gap) {
  if (start_) *start_ += gap;
  for (auto& [file, seen] : seen_) seen = {.text = seen.text, .since = now, .lost = seen.lost};
}

}  // namespace reprise::agent
