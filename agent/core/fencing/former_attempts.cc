#include "agent/core/fencing/former_attempts.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <utility>

#include "agent/core/fencing/attempts.h"
#include "agent/core/fencing/fence.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::size_t kAtOnce = 4;
constexpr std::size_t kMostJobs = 64;  // the file is read as a whole, and is small

FormerJob& job_in(std::vector<FormerJob>& jobs, const std::string& job_uid) {
  const auto found = std::find_if(jobs.begin(), jobs.end(), [&](const auto& each) { return each.job_uid == job_uid; });
  if (found != jobs.end()) return *found;
  jobs.push_back({.job_uid = job_uid});
  return jobs.back();
}

}  // namespace

std::string encode_former_jobs(const std::vector<FormerJob>& jobs) {
  boost::json::array all;
  for (const FormerJob& job : jobs) {
    all.push_back(boost::json::object{{"jobUid", job.job_uid},
                                      {"through", job.through},
                                      {"attempts", job.attempts},
                                      {"members", job.ranks},
                                      {"unrecorded", job.unrecorded}});
  }
  return to_text({{"jobs", std::move(all)}});
}

std::vector<FormerJob> decode_former_jobs(std::string_view text) {
  std::vector<FormerJob> jobs;
  const auto object = parse_object(text);
  const auto* all = object ? object->if_contains("jobs") : nullptr;
  if (all == nullptr || !all->is_array()) return jobs;
  for (const boost::json::value& each : all->get_array()) {
    if (!each.is_object()) continue;
    const auto& job = each.get_object();
    const auto job_uid = text_of(job, "jobUid");
    const auto through = number_of(job, "through");
    if (!job_uid || !through) continue;
    jobs.push_back({.job_uid = *job_uid,
                    .through = static_cast<std::int32_t>(*through),
                    .attempts = number_of(job, "attempts").value_or(0),
                    .ranks = number_of(job, "members").value_or(0),
                    .unrecorded = number_of(job, "unrecorded").value_or(0)});
  }
  return jobs;
}

bool FormerAttempts::step() {
  if (!options_.may_write() || (!begun_ && !begin())) return false;
  if (batch_.empty() && !next_batch()) return false;
  watch_->begin(clock_.steady());
  const auto sightings = search_->look([this] {
    const auto now = clock_.steady();
    watch_->answered(now);
    return now;
  });
  if (!sightings) return true;  // again
  switch (watch_->see(clock_.steady(), *sightings)) {
    case WriterWatch::Verdict::Wait:
      return true;
    case WriterWatch::Verdict::Reject:  // one of them lives: a later attempt will see
      batch_.clear();
      return true;
    case WriterWatch::Verdict::Clear:
      break;
  }
  std::vector<Left> batch;
  for (const std::int32_t attempt : std::exchange(batch_, {})) {
    if (auto left = read(attempt)) batch.push_back(std::move(*left));
  }
  return owns_volume() && fold(batch).has_value();
}

bool FormerAttempts::begin() {
  begun_ = true;
  const auto attempts = list_attempts(*volume_);
  if (!attempts) return false;
  // Files that another job has left under a number above ours are former too.
  const std::int32_t self = options_.self.attempt;
  for (const std::int32_t attempt : *attempts) {
    if (attempt > self || attempt <= self - kKept) to_do_.push_back(attempt);
  }
  return !to_do_.empty();
}

bool FormerAttempts::next_batch() {
  while (!to_do_.empty() && batch_.size() < kAtOnce) {
    batch_.push_back(to_do_.back());
    to_do_.pop_back();
  }
  if (batch_.empty()) return false;
  std::vector<AttemptSpan> spans;
  for (const std::int32_t attempt : batch_) spans.push_back({.first = attempt, .last = attempt});
  search_.emplace(volume_->files, volume_->layout, options_.self);
  search_->look_in(std::move(spans));
  search_->judge_lost(options_.heartbeat_period);
  watch_.emplace(options_.heartbeat_period);
  return true;
}

// Empty when it cannot be read, or when a pod of our own attempt or a newer one has a part in it.
std::optional<FormerAttempts::Left> FormerAttempts::read(std::int32_t attempt) const {
  const auto directory = volume_->layout.attempt(attempt);
  auto names = volume_->files.list(directory);
  if (!names) return std::nullopt;
  Left left{.attempt = attempt, .files = *names, .jobs = {}};
  for (const std::string& name : left.files) {
    const auto record = record_beside(name);
    if (name.starts_with('.') || !record) continue;
    const auto text = volume_->files.read(directory / name);
    if (!text && !says_lost(text.error())) return std::nullopt;
    const auto heartbeat = text && *text ? decode_heartbeat(**text) : std::nullopt;
    if (!heartbeat) continue;
    if (heartbeat->who.job_uid == options_.self.job_uid && attempt >= options_.self.attempt) return std::nullopt;
    FormerJob& job = job_in(left.jobs, heartbeat->who.job_uid);
    ++job.ranks;
    if (!std::binary_search(left.files.begin(), left.files.end(), *record)) ++job.unrecorded;
  }
  return left;
}

// Written down before anything is removed; what comes again after a crash is in the numbers already.
Result<void> FormerAttempts::note(const std::vector<Left>& batch) const {
  const auto text = volume_->lost_texts->read(volume_->files, volume_->layout.former());
  if (!text) return std::unexpected(text.error());
  const auto before = decode_former_jobs(text->value_or(""));
  auto jobs = before;
  for (const Left& left : batch) {
    for (const FormerJob& each : left.jobs) {
      FormerJob& job = job_in(jobs, each.job_uid);
      if (left.attempt <= job.through) continue;
      job.through = left.attempt;
      ++job.attempts;
      job.ranks += each.ranks;
      job.unrecorded += each.unrecorded;
    }
  }
  if (jobs == before) return {};
  if (jobs.size() > kMostJobs) jobs.erase(jobs.begin(), jobs.end() - kMostJobs);
  return volume_->files.write(volume_->layout.former(), encode_former_jobs(jobs), Sync::Yes);
}

Result<void> FormerAttempts::fold(const std::vector<Left>& batch) const {
  if (auto noted = note(batch); !noted) return noted;
  for (const Left& left : batch) {
    const auto directory = volume_->layout.attempt(left.attempt);
    // The heartbeats first: half a directory then holds nobody who might live.
    auto files = left.files;
    std::partition(files.begin(), files.end(), [](const std::string& name) { return record_beside(name).has_value(); });
    for (const std::string& name : files) {
      if (!options_.may_write()) return {};
      if (auto removed = volume_->files.remove(directory / name); !removed) return removed;
    }
    // The directory stays when somebody has written there since.
    static_cast<void>(volume_->files.remove_directory(directory));
  }
  return {};
}

bool FormerAttempts::owns_volume() const {
  const auto fence = read_fence(volume_->files, volume_->layout);
  return fence && *fence && (*fence)->job_uid == options_.self.job_uid && (*fence)->attempt == options_.self.attempt;
}

}  // namespace reprise::agent
