#include "agent/core/fencing/open_attempts.h"

#include <algorithm>

#include "agent/core/fencing/attempts.h"
#include "agent/core/restore/resume_point.h"

namespace reprise::agent {
namespace {

constexpr std::size_t kMostSpans = 16;

std::vector<AttemptSpan> merged(std::vector<AttemptSpan> spans) {
  std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<AttemptSpan> apart;
  for (const AttemptSpan& each : spans) {
    if (!apart.empty() && each.first <= apart.back().last + 1) {
      apart.back().last = std::max(apart.back().last, each.last);
    } else {
      apart.push_back(each);
    }
  }
  return apart;
}

AttemptSpans few(std::vector<AttemptSpan> spans) {
  spans = merged(std::move(spans));
  if (spans.size() > kMostSpans) return std::nullopt;
  return spans;
}

}  // namespace

AttemptSpans open_attempts(const std::optional<Fence>& fence, bool published, const Identity& self) {
  if (!fence || (!published && !fence->open)) return std::nullopt;
  std::vector<AttemptSpan> spans;
  if (!published) spans = *fence->open;
  // Attempts of this job that came after the fence: their ranks write heartbeats before index 0 raises it.
  const bool same_job = fence->job_uid == self.job_uid;
  spans.push_back(
      {.first = fence->attempt, .last = same_job ? std::max(fence->attempt, self.attempt) : fence->attempt});
  spans.push_back({.first = self.attempt, .last = self.attempt});
  return few(std::move(spans));
}

AttemptSpans all_open_of(AttemptSpans one, const AttemptSpans& other) {
  if (!one || !other) return std::nullopt;
  one->insert(one->end(), other->begin(), other->end());
  return few(std::move(*one));
}

runtime::Result<bool> has_published(const Volume& volume, const std::optional<Fence>& fence) {
  if (!fence) return false;
  const auto text = volume.lost_texts->read(volume.files, volume.layout.resume_point(fence->attempt));
  if (!text) return std::unexpected(text.error());
  const auto point = *text ? decode_resume_point(**text) : std::nullopt;
  return point && point->job_uid == fence->job_uid && point->attempt == fence->attempt;
}

bool is_open(const AttemptSpans& open, std::string_view directory) {
  const auto number = attempt_of(directory);
  if (!open || !number) return true;
  return std::any_of(open->begin(), open->end(),
                     [&](const AttemptSpan& span) { return span.first <= *number && *number <= span.last; });
}

}  // namespace reprise::agent
