// The sentences of a verdict: what was seen, and what to do about it.
#pragma once

#include "rehearsal/verdict/ending.h"
#include "rehearsal/verdict/verdict.h"

namespace reprise::rehearsal::texts {

// "31.0 s"
[[nodiscard]] std::string seconds(runtime::Duration duration);

[[nodiscard]] Finding cannot_start(const RankFacts& rank);
[[nodiscard]] Finding init_container_failed(const InitContainerFacts& container);
[[nodiscard]] Finding volume_full(const JobFacts& job);
[[nodiscard]] Finding disk_full(const JobFacts& job);
[[nodiscard]] Finding ended_too_early(const JobFacts& job);
[[nodiscard]] Finding ended_in_error(const RankFacts& rank);
[[nodiscard]] Finding ended_short(const RankFacts& rank);
[[nodiscard]] Finding nothing_left(const JobFacts& job);
[[nodiscard]] Finding left_in_the_way(const AttemptFacts& attempt, const RankFacts& rank, const CheckpointFacts& left);
[[nodiscard]] Finding started_again(const InterruptionFacts& interruption, const SecondLife& life);
[[nodiscard]] Finding nothing_rehearsed(const JobFacts& job);
[[nodiscard]] Finding interrupted_too_early(const JobFacts& job, const InterruptionFacts& interruption);
[[nodiscard]] Finding ended_within_grace(const InterruptionFacts& interruption);
[[nodiscard]] Finding silent(const JobFacts& job);
[[nodiscard]] Finding trainer_failed(const JobFacts& job, const RankFacts& rank);
[[nodiscard]] Finding no_marker(const JobFacts& job);
[[nodiscard]] Finding output_elsewhere(const JobFacts& job);
[[nodiscard]] Finding never_checkpoints(const JobFacts& job);
[[nodiscard]] Finding torn(const InterruptionFacts& interruption);
[[nodiscard]] Finding ignores_sigterm(const InterruptionFacts& interruption, const RankFacts& rank);
[[nodiscard]] Finding save_too_slow(const JobFacts& job, const InterruptionFacts& interruption);
[[nodiscard]] Finding no_handler(const InterruptionFacts& interruption);
[[nodiscard]] Finding no_checkpoint_after_notice(const InterruptionFacts& interruption, const RankFacts& rank);
// `earlier`: the checkpoint it wrote, if that is the evidence.
[[nodiscard]] Finding resumed_from_zero(const AttemptFacts& attempt, std::optional<std::int64_t> earlier);
// `began`: the step from which it went on.
[[nodiscard]] Finding resumed_from_earlier(const AttemptFacts& attempt, std::int64_t began);
// `first`: index of the first attempt that was given the same checkpoint as the last.
[[nodiscard]] Finding no_progress(const JobFacts& job, std::size_t first);
[[nodiscard]] Finding failed_after_resume(const AttemptFacts& attempt, const RankFacts& rank);
[[nodiscard]] Finding checkpoint_lost(const JobFacts& job);
[[nodiscard]] Finding not_resumed(const JobFacts& job);
[[nodiscard]] Finding weights_differ(const JobFacts& job);
[[nodiscard]] Finding weights_not_compared(const JobFacts& job);

[[nodiscard]] std::string failed_once(const RankFacts& rank);
[[nodiscard]] std::string killed_after_save(const RankFacts& rank);
[[nodiscard]] std::string torn_seen(std::size_t count);
// `held`: from the notice to the end of the last process.
[[nodiscard]] std::string held(const InterruptionFacts& interruption, runtime::Duration held);
[[nodiscard]] std::string left_behind();
[[nodiscard]] std::string resume_not_shown();
[[nodiscard]] std::string close_save(const JobFacts& job, const InterruptionFacts& interruption);

}  // namespace reprise::rehearsal::texts
