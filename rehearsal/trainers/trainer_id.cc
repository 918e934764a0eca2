#include "rehearsal/trainers/trainer_id.h"

#include <charconv>

namespace reprise::rehearsal {
namespace {

using simulator::text;

template <class T>
std::optional<T> whole(std::string_view text) {
  T number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<TrainerKey> trainer_of(const simulator::Value& pod) {
  const auto job = text(pod, {"metadata", "labels", "reprise.dev/job"});
  const auto attempt = whole<std::int64_t>(text(pod, {"metadata", "labels", "reprise.dev/attempt"}));
  const auto rank = whole<int>(text(pod, {"metadata", "labels", "batch.kubernetes.io/job-completion-index"}));
  if (job.empty() || !attempt || !rank) return std::nullopt;
  return TrainerKey{
      .job = std::string(simulator::namespace_of(pod)) + "/" + std::string(job), .attempt = *attempt, .rank = *rank};
}

}  // namespace reprise::rehearsal
