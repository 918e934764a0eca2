#include "agent/finished.h"

#include <algorithm>

#include "agent/attempts.h"
#include "agent/restore.h"

namespace reprise::agent {
namespace {

using runtime::Result;

bool says_finished(const FinishedQuestion& question, std::int32_t attempt, std::int32_t index, const Record& record) {
  return record.finished && record.job_uid == question.self.job_uid && record.attempt == attempt &&
         record.index == index;
}

// The operator makes a pod of one attempt again only when it knows nothing of the first, so nobody saw how that one
// ended.
bool is_of_this_pod(const Identity& self, const std::vector<Record>& records) {
  return std::any_of(records.begin(), records.end(), [&](const Record& record) {
    return record.index == self.index && record.pod_uid == self.pod_uid;
  });
}

}  // namespace

FinishedQuestion finished_question(const Environment& env, const Identity& self) {
  return {.self = self, .parallelism = env.parallelism, .access = env.access, .distrusted = env.distrust_finished};
}

bool may_skip(const FinishedQuestion& question, std::int32_t attempt, const std::vector<Record>& records) {
  const auto finished = [&](std::int32_t index) {
    return std::any_of(records.begin(), records.end(),
                       [&](const Record& record) { return says_finished(question, attempt, index, record); });
  };
  if (attempt <= question.distrusted || !finished(question.self.index)) return false;
  if (attempt == question.self.attempt && !is_of_this_pod(question.self, records)) return false;
  if (question.parallelism == 1) return true;
  if (question.access == VolumeAccess::PerIndex) return false;
  for (std::int32_t index = 0; index < question.parallelism; ++index) {
    if (!finished(index)) return false;
  }
  return true;
}

Result<std::optional<Record>> read_record(const Volume& volume, std::int32_t attempt, std::int32_t index) {
  const auto text = volume.files.read(volume.layout.record(attempt, index));
  if (!text) return std::unexpected(text.error());
  return *text ? decode_record(**text) : std::nullopt;
}

Result<std::optional<Record>> finished_in(const Volume& volume, const FinishedQuestion& question,
                                          std::int32_t attempt) {
  auto own = read_record(volume, attempt, question.self.index);
  if (!own || !*own || !(*own)->finished) return own ? Result<std::optional<Record>>(std::nullopt) : own;
  std::vector<Record> records{**own};
  if (question.parallelism > 1 && question.access == VolumeAccess::Shared) {
    for (std::int32_t index = 0; index < question.parallelism; ++index) {
      auto peer = read_record(volume, attempt, index);
      if (!peer) return peer;
      if (!*peer) return std::nullopt;
      records.push_back(std::move(**peer));
    }
  }
  return may_skip(question, attempt, records) ? own : std::nullopt;
}

Result<std::optional<Record>> find_finished(const Volume& volume, const FinishedQuestion& question) {
  const auto attempts = list_attempts(volume);
  if (!attempts) return std::unexpected(attempts.error());
  for (const std::int32_t attempt : *attempts) {
    if (attempt > question.self.attempt) continue;  // of a job that had the volume before
    if (attempt <= question.distrusted) break;
    auto found = finished_in(volume, question, attempt);
    if (!found || *found) return found;
    Identity then = question.self;
    then.attempt = attempt;
    const auto point = read_resume_point(volume, then);
    if (!point) return std::unexpected(point.error());
    if (*point && attempt < question.self.attempt && lets_train(**point)) break;
  }
  return std::nullopt;
}

}  // namespace reprise::agent
