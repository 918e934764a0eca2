#include "controllers/resumablejob/claims/accept_checkpoint.h"

#include <charconv>

#include "controllers/resumablejob/pods/names.h"

namespace reprise::controllers::resumablejob {
namespace {

template <class Number>
std::optional<Number> whole(std::string_view text) {
  Number number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool all = problem == std::errc{} && end == text.data() + text.size() && number >= 0;
  return all ? std::optional(number) : std::nullopt;
}

// True for a step that was offered. The older checkpoint may have the higher number where names carry dates.
bool is_offered(const api::ResumableJob& job, std::int64_t step) {
  const auto& lost = job.status.checkpoint_lost;
  return lost && lost->attempt == job.status.attempt && lost->offered_step == step;
}

}  // namespace

std::optional<std::int64_t> accepted_step(const api::ResumableJob& job) {
  const std::string_view value = job.meta.annotation(kAcceptCheckpointAnnotation);
  const std::size_t slash = value.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto step = whole<std::int64_t>(value.substr(0, slash));
  const auto attempt = whole<std::int32_t>(value.substr(slash + 1));
  if (!step || attempt != job.status.attempt) return std::nullopt;
  const auto& known = job.status.checkpoint;
  return (known && *step <= known->step) || is_offered(job, *step) ? step : std::nullopt;
}

void accept_checkpoint(PlanBuilder& builder, std::int64_t step) {
  api::ResumableJobStatus& status = builder.status();
  const auto& known = status.checkpoint;
  if (known && known->step == step && known->path.empty()) return;
  const std::string message = "step " + std::to_string(step) + " is accepted" +
                              (known ? " in place of step " + std::to_string(known->step) : std::string()) +
                              " by the annotation " + std::string(kAcceptCheckpointAnnotation);
  api::CheckpointStatus accepted;
  accepted.step = step;
  if (known) accepted.claim_name = known->claim_name;
  status.checkpoint = std::move(accepted);
  if (status.progress) status.progress->checkpoint.reset();  // the one that is given up
  status.trained_seconds.reset();                            // nobody knows how much came before this one
  builder.outlook.checkpoint = {kube::ConditionStatus::Unknown, {"Accepted", message}};
  builder.announce(EventType::Warning, "CheckpointAccepted", "StartAttempt", message);
}

std::string how_to_accept(const api::ResumableJob& job, std::optional<std::int64_t> step) {
  return "kubectl annotate --overwrite resumablejob " + job.meta.name + " -n " + job.meta.namespace_ + " " +
         std::string(kAcceptCheckpointAnnotation) + "=" + (step ? std::to_string(*step) : std::string("<step>")) + "/" +
         std::to_string(job.status.attempt);
}

}  // namespace reprise::controllers::resumablejob
