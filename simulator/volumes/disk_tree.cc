#include "simulator/volumes/disk_tree.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "agent/core/aside/set_aside.h"
#include "agent/core/fencing/fence.h"
#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/proofs/proven_list.h"
#include "agent/core/record/record.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/core/restore/resume_point.h"
#include "simulator/volumes/disk_paths.h"
#include "simulator/volumes/library_tree.h"

namespace reprise::simulator {
namespace {

constexpr int kCallsOfAHeartbeat = 4;  // reads its heartbeat, writes it, reads the fence
constexpr std::string_view kMarker = "_COMPLETE", kState = "state.bin";

agent::Identity identity_of(const agent::Environment& env) {
  return {.job_uid = env.job_uid, .pod_uid = env.pod_uid, .attempt = env.attempt, .index = env.index};
}

agent::Identity former_rank(const DiskFormer& former, std::int64_t attempt, int rank) {
  return {.job_uid = former.job_uid,
          .pod_uid = "former-" + std::to_string(attempt) + "-" + std::to_string(rank),
          .attempt = static_cast<std::int32_t>(attempt),
          .index = rank};
}

const DiskAttempt* attempt_of(const Disk& disk, std::int64_t number) {
  const auto found = disk.attempts.find(number);
  return found == disk.attempts.end() ? nullptr : &found->second;
}

// The identity of the job that had the volume before; empty: somebody else has written there since.
std::optional<agent::Identity> former_at(const Disk& disk, const InAttempt& place) {
  if (!disk.former.has(place.attempt) || place.rank >= disk.former.ranks) return std::nullopt;
  const auto* own = attempt_of(disk, place.attempt);
  if (own != nullptr && own->heartbeats.contains(place.rank)) return std::nullopt;
  return former_rank(disk.former, place.attempt, place.rank);
}

std::optional<std::string> read_heartbeat(const Disk& disk, const DiskView& view, const InAttempt& place) {
  if (const auto* attempt = attempt_of(disk, place.attempt); attempt != nullptr) {
    if (const auto heartbeat = attempt->heartbeats.find(place.rank); heartbeat != attempt->heartbeats.end())
      return agent::encode_heartbeat({.who = {.job_uid = heartbeat->second.job_uid,
                                              .pod_uid = heartbeat->second.pod_uid,
                                              .attempt = static_cast<std::int32_t>(place.attempt),
                                              .index = place.rank},
                                      .counter = heartbeat->second.counter(view.now),
                                      .period = heartbeat->second.written_period});
  }
  const auto former = former_at(disk, place);
  if (!former) return std::nullopt;
  return agent::encode_heartbeat({.who = *former, .counter = 1, .period = view.env.heartbeat_period});
}

std::optional<std::string> read_record(const Disk& disk, const InAttempt& place) {
  if (const auto* attempt = attempt_of(disk, place.attempt); attempt != nullptr)
    if (const auto record = attempt->records.find(place.rank); record != attempt->records.end())
      return record->second.text;
  const auto former = former_at(disk, place);
  if (!former || place.attempt == disk.former.attempts) return std::nullopt;
  return agent::encode_record(
      {.job_uid = former->job_uid, .pod_uid = former->pod_uid, .attempt = former->attempt, .index = former->index});
}

std::optional<std::string> read_resume_point(const Disk& disk, std::int64_t number) {
  if (const auto* attempt = attempt_of(disk, number); attempt != nullptr && attempt->resume)
    return attempt->resume->text;
  if (!disk.former.has(number)) return std::nullopt;
  const auto former = former_rank(disk.former, number, 0);
  return agent::encode_resume_point(
      {.job_uid = former.job_uid, .attempt = former.attempt, .pod_uid = former.pod_uid, .step = {}, .path = {}});
}

std::optional<std::string> read_fence(const Disk& disk) {
  if (disk.fence_job_uid.empty()) return std::nullopt;
  agent::Fence fence{.job_uid = disk.fence_job_uid, .attempt = static_cast<std::int32_t>(disk.fence_attempt)};
  if (disk.fence_open) fence.open.emplace();
  for (const auto& [first, last] : disk.fence_open.value_or(std::vector<std::pair<std::int64_t, std::int64_t>>()))
    fence.open->push_back({.first = static_cast<std::int32_t>(first), .last = static_cast<std::int32_t>(last)});
  return agent::encode_fence(fence);
}

void write_fence(Disk& disk, const agent::Fence& fence) {
  disk.fence_job_uid = fence.job_uid;
  disk.fence_attempt = fence.attempt;
  disk.fence_open = fence.open.transform([](const std::vector<agent::AttemptSpan>& spans) {
    std::vector<std::pair<std::int64_t, std::int64_t>> open;
    for (const auto& span : spans) open.emplace_back(span.first, span.last);
    return open;
  });
}

// Each write of its own moves the counter.
Notify write_heartbeat(Disk& disk, const DiskView& view, const InAttempt& place, const agent::Heartbeat& heartbeat) {
  auto& heartbeats = disk.attempts[place.attempt].heartbeats;
  const auto found = heartbeats.find(place.rank);
  if (found != heartbeats.end() && found->second.pod_uid == heartbeat.who.pod_uid) {
    DiskHeartbeat& own = found->second;
    own.since = view.now - own.period * static_cast<runtime::Duration::rep>(own.counter(view.now));
    return Notify::Nobody;
  }
  const bool takes_over = found != heartbeats.end();
  heartbeats[place.rank] = {.job_uid = heartbeat.who.job_uid,
                            .pod_uid = heartbeat.who.pod_uid,
                            .since = view.now,
                            .period = view.env.heartbeat_period + disk.traits.call * kCallsOfAHeartbeat,
                            .written_period = heartbeat.period};
  return takes_over ? Notify::All : Notify::Nobody;
}

void write_record(Disk& disk, const InAttempt& place, std::string_view text) {
  const auto record = agent::decode_record(text);
  if (!record) return;
  disk.attempts[place.attempt].records[place.rank] = {.job_uid = record->job_uid,
                                                      .pod_uid = record->pod_uid,
                                                      .exit_code = record->exit_code,
                                                      .step = record->step,
                                                      .path = record->path,
                                                      .stop_requested = record->stop_requested,
                                                      .saved = record->saved,
                                                      .finished = record->finished,
                                                      .durable = record->durable,
                                                      .text = std::string(text)};
}

// Decides by the known former attempts, whatever the agent thinks.
bool is_from_scratch(const Disk& disk, const agent::Environment& env) {
  agent::ScratchQuestion question{.policy = env.resume,
                                  .since = env.from_scratch_since,
                                  .self = identity_of(env),
                                  .checkpoint_expected = env.expected_step.has_value()};
  for (const auto& attempt : disk.attempts | std::views::values)
    if (attempt.resume)
      if (auto point = agent::decode_resume_point(attempt.resume->text)) question.published.push_back(*point);
  return agent::policy_in_force(question) == agent::ResumePolicy::FromScratch;
}

// Data of others, or a checkpoint that is gone, has the number in its name.
std::optional<std::int64_t> step_named(const Disk& disk, const agent::ResumePoint& point) {
  const auto step = disk.step_in(point.path);
  return step ? step : point.step;
}

void write_resume_point(Disk& disk, const DiskView& view, const InAttempt& place, std::string_view text) {
  const auto point = agent::decode_resume_point(text);
  if (!point) return;
  const bool from_scratch = is_from_scratch(disk, view.env);
  disk.attempts[place.attempt].resume = DiskResume{.job_uid = point->job_uid,
                                                   .pod_uid = point->pod_uid,
                                                   .step = point->step ? step_named(disk, *point) : std::nullopt,
                                                   .rejection = point->rejection,
                                                   .from_scratch = from_scratch,
                                                   .text = std::string(text)};
}

// A checkpoint listed there was left in its place.
void note_set_aside(Disk& disk, const DiskView& view, std::string_view text) {
  const auto listed = agent::decode_set_aside(text);
  for (const auto& each : listed.value_or(agent::Checkpoints())) {
    const auto step = disk.step_in(each.name);
    if (!step || disk.checkpoints[*step].complete != each.complete) continue;
    disk.checkpoints[*step].quarantined = true;
    if (each.complete) disk.attempts[view.env.attempt].renounces = is_from_scratch(disk, view.env);
  }
}

// The checkpoint or the data in that directory of the root.
struct Directory {
  bool complete = false;
  runtime::Duration time{0};
};

// True for a checkpoint of an own trainer in the root.
bool is_in_root(const Disk& disk, const DiskCheckpoint& checkpoint) {
  return checkpoint.library == Library::None && (!checkpoint.quarantined || !disk.traits.moves);
}

std::optional<Directory> directory_in(const Disk& disk, std::string_view name) {
  for (const auto& checkpoint : disk.checkpoints | std::views::values)
    if (is_in_root(disk, checkpoint) && checkpoint.directory() == name)
      return Directory{.complete = checkpoint.complete, .time = checkpoint.time};
  if (const auto data = disk.data.find(std::string(name)); data != disk.data.end())
    return Directory{.complete = true, .time = data->second};
  return std::nullopt;
}

void forget(Disk& disk, std::string_view name) {
  std::erase_if(disk.checkpoints,
                [&](const auto& each) { return is_in_root(disk, each.second) && each.second.directory() == name; });
  disk.data.erase(std::string(name));
}

std::vector<std::string> list_attempt(const Disk& disk, std::int64_t number) {
  std::set<std::string> names;
  for (int rank = 0; disk.former.has(number) && rank < disk.former.ranks; ++rank) {
    names.insert(std::to_string(rank) + ".alive");
    if (number < disk.former.attempts) names.insert(std::to_string(rank) + ".json");
    names.insert("resume.json");
  }
  if (const auto* attempt = attempt_of(disk, number); attempt != nullptr) {
    for (const auto rank : attempt->heartbeats | std::views::keys) names.insert(std::to_string(rank) + ".alive");
    for (const auto rank : attempt->records | std::views::keys) names.insert(std::to_string(rank) + ".json");
    for (const int rank : attempt->told) names.insert(std::to_string(rank) + ".told");
    if (attempt->resume) names.insert("resume.json");
  }
  return {names.begin(), names.end()};
}

bool is_empty(const DiskAttempt& attempt) {
  return !attempt.resume && attempt.records.empty() && attempt.heartbeats.empty() && attempt.told.empty();
}

std::vector<std::string> list_attempts(const Disk& disk) {
  std::vector<std::string> names;
  for (std::int64_t number = 1; number <= disk.former.attempts; ++number)
    if (disk.former.has(number) && !disk.attempts.contains(number)) names.push_back(std::to_string(number));
  for (const auto& [number, attempt] : disk.attempts)
    if (!is_empty(attempt) || disk.former.has(number)) names.push_back(std::to_string(number));
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> list_root(const Disk& disk) {
  std::vector<std::string> names{std::string(kOwn)};
  for (const auto& checkpoint : disk.checkpoints | std::views::values)
    if (is_in_root(disk, checkpoint)) names.push_back(checkpoint.directory());
  for (const auto& name : disk.data | std::views::keys) names.push_back(name);
  return names;
}

// A checkpoint on that list counts as proven from now on.
void note_listed(Disk& disk, std::string_view text) {
  const auto list = agent::decode_proven(text);
  for (const auto& each : list.value_or(agent::ProvenList{}).checkpoints)
    if (const auto step = disk.step_in(each.name)) disk.checkpoints[*step].listed = true;
}

std::vector<std::string> once_each(std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto rest = std::ranges::unique(names);
  names.erase(rest.begin(), rest.end());
  return names;
}

}  // namespace

std::optional<std::string> read_file(const Disk& disk, const DiskView& view, std::string_view path) {
  const Parts parts = parts_of(path);
  if (is_fence(parts)) return read_fence(disk);
  if (const auto place = in_attempt(parts)) {
    switch (place->kind) {
      case InAttempt::Kind::Heartbeat:
        return read_heartbeat(disk, view, *place);
      case InAttempt::Kind::Record:
        return read_record(disk, *place);
      case InAttempt::Kind::ResumePoint:
        return read_resume_point(disk, place->attempt);
      case InAttempt::Kind::Told: {
        const auto* const attempt = attempt_of(disk, place->attempt);
        return attempt != nullptr && attempt->told.contains(place->rank) ? std::optional(std::string()) : std::nullopt;
      }
    }
  }
  const auto directory = parts.size() == 2 && parts[0] != kOwn ? directory_in(disk, parts[0]) : std::nullopt;
  if (directory && (parts[1] == kState || (parts[1] == kMarker && directory->complete))) return std::string();
  const auto text = disk.texts.find(std::string(path));
  return text == disk.texts.end() ? read_among_libraries(disk, path) : std::optional(text->second);
}

namespace {

// Times of the agent's own files are never compared but with those of checkpoints, which are younger.
std::optional<agent::FileInfo> look_at_own(const Disk& disk, const DiskView& view, std::string_view path) {
  using Kind = agent::FileInfo::Kind;
  if (read_file(disk, view, path)) return agent::FileInfo{.kind = Kind::File, .modified = view.start};
  if (list_directory(disk, path).empty()) return std::nullopt;
  return agent::FileInfo{.kind = Kind::Directory, .modified = view.start};
}

}  // namespace

std::optional<agent::FileInfo> look_at(const Disk& disk, const DiskView& view, std::string_view path) {
  using Kind = agent::FileInfo::Kind;
  const Parts parts = parts_of(path);
  if (parts.empty()) return agent::FileInfo{.kind = Kind::Directory};
  if (parts[0] == kOwn)
    if (auto own = look_at_own(disk, view, path)) return own;
  const auto directory = parts[0] == kOwn || parts.size() > 2 ? std::nullopt : directory_in(disk, parts[0]);
  if (!directory) return look_among_libraries(disk, view, path);
  if (parts.size() == 1) return agent::FileInfo{.kind = Kind::Directory, .modified = view.start + directory->time};
  if (parts[1] != kState && (parts[1] != kMarker || !directory->complete)) return std::nullopt;
  return agent::FileInfo{.kind = Kind::File, .modified = view.start + directory->time};
}

std::vector<std::string> list_directory(const Disk& disk, std::string_view path) {
  const Parts parts = parts_of(path);
  if (is_attempts(parts, 2)) return list_attempts(disk);
  if (is_attempts(parts, 3)) return list_attempt(disk, whole(parts[2]).value_or(0));
  std::vector<std::string> names = list_among_libraries(disk, path);
  if (parts.empty()) std::ranges::move(list_root(disk), std::back_inserter(names));
  if (const auto directory = parts.size() == 1 ? directory_in(disk, parts[0]) : std::nullopt) {
    if (directory->complete) names.emplace_back(kMarker);
    names.emplace_back(kState);
  }
  if (parts.size() == 2 && parts[0] == kOwn) {
    for (const DiskAside& each : disk.aside)
      if (each.place == parts[1]) names.push_back(each.directory);
  }
  const std::string below = std::string(path) + "/";
  for (const auto& name : disk.texts | std::views::keys)
    if (name.starts_with(below)) names.push_back(name.substr(below.size()));
  return once_each(std::move(names));
}

Notify write_file(Disk& disk, const DiskView& view, std::string_view path, std::string_view text) {
  const Parts parts = parts_of(path);
  if (is_fence(parts)) {
    if (const auto fence = agent::decode_fence(text)) write_fence(disk, *fence);
    return Notify::All;
  }
  if (const auto place = in_attempt(parts)) {
    if (place->kind == InAttempt::Kind::Record) write_record(disk, *place, text);
    if (place->kind == InAttempt::Kind::ResumePoint) write_resume_point(disk, view, *place, text);
    if (place->kind == InAttempt::Kind::Told) disk.attempts[place->attempt].told.insert(place->rank);
    const auto heartbeat = place->kind == InAttempt::Kind::Heartbeat ? agent::decode_heartbeat(text) : std::nullopt;
    return heartbeat ? write_heartbeat(disk, view, *place, *heartbeat) : Notify::All;
  }
  if (is_aside(parts, "set-aside", 3)) note_set_aside(disk, view, text);
  if (is_aside(parts, "proven", 2)) note_listed(disk, text);
  disk.texts[std::string(path)] = text;
  return Notify::All;
}

Notify remove_file(Disk& disk, const DiskView& view, std::string_view path) {
  const Parts parts = parts_of(path);
  if (const auto place = in_attempt(parts)) {
    const auto found = disk.attempts.find(place->attempt);
    if (found == disk.attempts.end()) return Notify::Nobody;
    if (place->kind == InAttempt::Kind::Heartbeat) found->second.heartbeats.erase(place->rank);
    if (place->kind == InAttempt::Kind::Record) found->second.records.erase(place->rank);
    if (place->kind == InAttempt::Kind::ResumePoint) found->second.resume.reset();
    if (place->kind == InAttempt::Kind::Told) found->second.told.erase(place->rank);
    return Notify::All;
  }
  if (parts.size() == 2 && parts[0] != kOwn) {
    const auto step = parts[1] == kMarker ? disk.step_in(parts[0]) : std::nullopt;
    if (step) disk.checkpoints[*step].complete = false;
    if (step) return Notify::All;
  }
  const bool gone = disk.texts.erase(std::string(path)) > 0 || delete_among_libraries(disk, view, path);
  return gone ? Notify::All : Notify::Nobody;
}

Notify remove_tree(Disk& disk, const DiskView& view, std::string_view path) {
  const Parts parts = parts_of(path);
  if (is_attempts(parts, 3)) {
    const auto number = whole(parts[2]).value_or(0);
    if (disk.former.has(number)) disk.former.folded.insert(number);
    return Notify::Nobody;
  }
  if (is_aside(parts, "torn", 3) || is_aside(parts, "ahead", 3)) {
    std::erase_if(disk.aside,
                  [&](const DiskAside& each) { return each.place == parts[1] && each.directory == parts[2]; });
    return Notify::All;
  }
  if (parts.empty() || parts[0] == kOwn) return Notify::Nobody;
  if (parts.size() != 1 || !directory_in(disk, parts[0]))
    return delete_among_libraries(disk, view, path) ? Notify::All : Notify::Nobody;
  forget(disk, parts[0]);
  return Notify::All;
}

bool move_directory(Disk& disk, const DiskView& view, std::string_view from, std::string_view to) {
  const Parts source = parts_of(from), target = parts_of(to);
  if (!disk.traits.moves || source.empty()) return false;
  const bool own = source.size() == 1 && directory_in(disk, source[0]);
  if (!own && is_aside(target, "trash", 3)) return delete_among_libraries(disk, view, from);
  if (!own) {
    const auto step = disk.step_in(from);
    if (step && disk.checkpoints[*step].complete)
      disk.attempts[view.env.attempt].renounces = is_from_scratch(disk, view.env);
    return set_aside_among_libraries(disk, view, from, aside_at(target));
  }
  if (is_aside(target, "trash", 3)) {
    forget(disk, source[0]);
    return true;
  }
  const auto step = disk.step_in(source[0]);
  if (!step) return false;  // somebody's data
  DiskCheckpoint& checkpoint = disk.checkpoints[*step];
  if (checkpoint.complete) disk.attempts[view.env.attempt].renounces = is_from_scratch(disk, view.env);
  checkpoint.quarantined = true;
  disk.aside.push_back(aside_at(target));
  checkpoint.unproven = disk.aside.back().place == "unproven";
  return true;
}

}  // namespace reprise::simulator
