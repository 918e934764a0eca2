#include "agent/finished.h"

#include <algorithm>

#include "agent/attempts.h"

namespace reprise::agent {
namespace {

using runtime::Result;

bool says_finished(const FinishedQuestion& question, std::int32_t attempt, std::int32_t index, const Record& record) {
  return record.finished && record.job_uid == question.self.job_uid && record.attempt == attempt &&
         record.index == index;
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
    auto found = finished_in(volume, question, attempt);
    if (!found || *found) return found;
  }
  return std::nullopt;
}

}  // namespace reprise::agent
