#include "rehearsal/verdict/verdict.h"

#include <algorithm>

#include "protocol/agent_protocol.h"
#include "rehearsal/verdict/ending.h"
#include "rehearsal/verdict/left_in_the_way.h"
#include "rehearsal/verdict/verdict_texts.h"

namespace reprise::rehearsal {
namespace {

const RankFacts* first_rank(const JobFacts& job, auto holds) {
  for (const AttemptFacts& attempt : job.attempts)
    for (const RankFacts& rank : attempt.ranks)
      if (holds(rank)) return &rank;
  return nullptr;
}

// The rank of an attempt that tells most about a signal: the first known not to handle it.
const RankFacts& telling(const AttemptFacts& attempt) {
  for (const RankFacts& rank : attempt.ranks)
    if (rank.on_term == Disposition::Ignored || (rank.on_term == Disposition::Default && !rank.was_shutting_down()))
      return rank;
  for (const RankFacts& rank : attempt.ranks)
    if (rank.killed) return rank;
  return attempt.ranks.front();
}

bool shutting_down(const AttemptFacts& attempt) {
  return std::ranges::any_of(attempt.ranks, &RankFacts::was_shutting_down);
}

const RankFacts* first_failure(const JobFacts& job) {
  for (const AttemptFacts& attempt : job.attempts)
    for (const RankFacts& rank : attempt.ranks)
      if (attempt.failed_by_itself(rank)) return &rank;
  return nullptr;
}

struct Count {
  std::size_t complete = 0, torn = 0;
};

Count count_checkpoints(const JobFacts& job) {
  Count count;
  for (const AttemptFacts& attempt : job.attempts)
    for (const CheckpointFacts& each : attempt.checkpoints) ++(each.complete ? count.complete : count.torn);
  return count;
}

class Judge {
 public:
  explicit Judge(const JobFacts& job)
      : job_(job), interruptions_(interruptions_of(job)), count_(count_checkpoints(job)) {}

  Verdict run() {
    if (!start() && !disks() && !rehearsed()) {
      if (checkpoints())
        signals();
      else
        saves();
      second_lives();
      leftovers();
      resumes();
      end();
      heeded();
      weights();
    }
    if (verdict_.survived()) advise();
    if (!verdict_.survived() && !later_ && (verdict_.lost.empty() || count_.complete == 0))
      for (const InterruptionFacts& each : interruptions_) verdict_.lost.insert(each.attempt);
    return std::move(verdict_);
  }

 private:
  void find(Finding finding) { verdict_.findings.push_back(std::move(finding)); }
  void settle(Finding finding) {
    find(std::move(finding));
    verdict_.settled = true;
  }
  [[nodiscard]] bool has_any() const { return !verdict_.findings.empty(); }
  [[nodiscard]] bool has(Reason reason) const {
    return std::ranges::any_of(verdict_.findings, [&](const Finding& each) { return each.reason == reason; });
  }

  bool start() {
    const RankFacts* rank =
        first_rank(job_, [](const RankFacts& each) { return each.reason == protocol::kReasonCannotStart; });
    if (rank != nullptr) settle(texts::cannot_start(*rank));
    if (rank == nullptr && job_.attempts.empty()) return kept_from_start();
    return rank != nullptr;
  }

  // True when an initContainer is why there is no further attempt.
  bool kept_from_start() {
    const InitContainerFacts* container = job_.kept_from_start();
    if (container != nullptr) find(texts::init_container_failed(*container));
    return container != nullptr;
  }

  bool disks() {
    const bool full = job_.bytes_there > 0 && job_.bytes_used > job_.bytes_there;
    if (full)
      settle(texts::volume_full(job_));
    else if (!job_.disk_full.empty())
      settle(texts::disk_full(job_));
    return has_any();
  }

  // True when the attempt could not answer yet. An answer that it gave in spite of that counts.
  [[nodiscard]] bool starting(const InterruptionFacts& interruption) const {
    return job_.attempts[interruption.attempt].starting && !interruption.save_took && !interruption.torn_answer;
  }

  // False when an interruption can be judged; otherwise says why none was rehearsed.
  bool rehearsed() {
    if (std::ranges::any_of(interruptions_, [&](const auto& each) { return !starting(each); })) return false;
    const bool complete = job_.outcome == JobFacts::Outcome::Complete;
    if (!complete && kept_from_start()) return true;
    if (const RankFacts* failed = ended_in_error(job_)) {
      find(texts::ended_in_error(*failed));
    } else if (const RankFacts* early = ended_short(job_)) {
      find(texts::ended_short(*early));
    } else if (complete && count_.complete == 0) {
      find(texts::ended_too_early(job_));
    } else if (const RankFacts* rank = first_failure(job_)) {
      find(texts::trainer_failed(job_, *rank));
    } else if (!interruptions_.empty()) {
      const AttemptFacts& attempt = job_.attempts[interruptions_.back().attempt];
      find(attempt.silent ? texts::silent(job_) : texts::interrupted_too_early(job_, interruptions_.back()));
      verdict_.settled = attempt.silent;
    } else {
      find(texts::nothing_rehearsed(job_));
    }
    return true;
  }

  // Says why there is no checkpoint at all; false when there is one.
  bool checkpoints() {
    if (count_.complete > 0) return false;
    if (const InterruptionFacts* cut = cut_short())
      settle(texts::save_too_slow(job_, *cut));
    else if (count_.torn > 0)
      find(texts::no_marker(job_));
    else if (!job_.elsewhere.empty())
      find(texts::output_elsewhere(job_));
    else
      find(texts::never_checkpoints(job_));
    return true;
  }

  // An interruption that killed the trainer in its save, if every incomplete checkpoint came about so.
  [[nodiscard]] const InterruptionFacts* cut_short() const {
    const InterruptionFacts* found = nullptr;
    std::size_t torn = 0;
    for (const InterruptionFacts& each : interruptions_) {
      const AttemptFacts& attempt = job_.attempts[each.attempt];
      if (!each.noticed || each.torn.empty() || job_.deaf(attempt)) continue;
      if (std::ranges::none_of(attempt.ranks, &RankFacts::killed)) continue;
      found = &each;
      for (const CheckpointFacts& checkpoint : attempt.checkpoints)
        if (!checkpoint.complete && checkpoint.at >= each.at) ++torn;
    }
    return torn == count_.torn ? found : nullptr;
  }

  // Looks at a trainer without checkpoints: its reaction to the notice is the next thing to mend.
  void signals() {
    for (const InterruptionFacts& each : interruptions_) {
      const RankFacts& rank = telling(job_.attempts[each.attempt]);
      if (!rank.asked || starting(each)) continue;
      const bool ignored = rank.killed && rank.on_term == Disposition::Ignored;
      const bool unhandled = !rank.killed && rank.on_term == Disposition::Default && !rank.was_shutting_down();
      if (!ignored && !unhandled) continue;
      verdict_.settled = verdict_.settled || !each.nothing_lost;
      return find(ignored ? texts::ignores_sigterm(each, rank) : texts::no_handler(each));
    }
  }

  void saves() {
    const bool ever = std::ranges::any_of(interruptions_, [](const auto& each) { return each.save_took.has_value(); });
    for (const InterruptionFacts& each : interruptions_) {
      if (!each.noticed || each.save_took || starting(each)) continue;
      // A trainer that has saved before may have had nothing to save.
      const bool deaf = job_.deaf(job_.attempts[each.attempt]);
      const bool excused = each.nothing_lost && each.torn.empty() && !deaf;
      if (excused && (ever || shutting_down(job_.attempts[each.attempt]))) continue;
      if (!excused) verdict_.settled = true;
      // One reason is enough.
      if (verdict_.lost.empty())
        find(deaf ? texts::ignores_sigterm(each, telling(job_.attempts[each.attempt])) : why_not_saved(each));
      verdict_.lost.insert(each.attempt);
    }
  }

  void second_lives() {
    for (const InterruptionFacts& each : interruptions_) {
      const auto life = second_life(job_, each);
      if (!life) continue;
      if (!has(Reason::StartedAgain)) settle(texts::started_again(each, *life));
      verdict_.lost.insert(each.attempt);
    }
  }

  void leftovers() {
    for (std::size_t i = 1; i < job_.attempts.size(); ++i)
      for (const RankFacts& rank : job_.attempts[i].ranks) {
        const CheckpointFacts* left = left_in_the_way(job_, i, rank);
        if (left == nullptr) continue;
        if (!has(Reason::LeftInTheWay)) settle(texts::left_in_the_way(job_.attempts[i], rank, *left));
        lose_before(i);
      }
  }

  [[nodiscard]] Finding why_not_saved(const InterruptionFacts& interruption) const {
    const AttemptFacts& attempt = job_.attempts[interruption.attempt];
    const RankFacts& rank = telling(attempt);
    if (interruption.torn_answer && !rank.killed) return texts::torn(interruption);
    if (rank.killed && rank.on_term == Disposition::Ignored) return texts::ignores_sigterm(interruption, rank);
    if (rank.killed) return texts::save_too_slow(job_, interruption);
    if (rank.on_term == Disposition::Default && !rank.was_shutting_down()) return texts::no_handler(interruption);
    return texts::no_checkpoint_after_notice(interruption, rank);
  }

  void resumes() {
    for (std::size_t i = 1; i < job_.attempts.size(); ++i) {
      resumed_elsewhere(i);
      for (const RankFacts& rank : job_.attempts[i].ranks) failure_after_resume(i, rank);
    }
    // When one attempt began anew and none is seen to have gone on, those that show nothing did not go on either.
    if (has(Reason::ResumedFromZero) && !any_resume_is(Resumption::Shown))
      for (const InterruptionFacts& each : interruptions_)
        if (each.resumption == Resumption::NotShown) verdict_.lost.insert(each.attempt);
    progress();
    if (verdict_.survived() && job_.outcome == JobFacts::Outcome::Running && !interruptions_.empty() &&
        std::ranges::none_of(interruptions_, [](const auto& each) { return each.step_resumed.has_value(); }))
      if (!kept_from_start()) find(texts::not_resumed(job_));
  }

  void resumed_elsewhere(std::size_t index) {
    const AttemptFacts& attempt = job_.attempts[index];
    const Resumption how = resumption_of(job_, index);
    if (how == Resumption::StartedOver) {
      if (!has(Reason::ResumedFromZero)) settle(texts::resumed_from_zero(attempt, wrote_earlier(attempt)));
    } else if (how == Resumption::WentBack) {
      if (!has(Reason::ResumedFromEarlier)) settle(texts::resumed_from_earlier(attempt, began_at(job_, index)));
    } else {
      return;
    }
    lose_before(index);
  }

  void failure_after_resume(std::size_t index, const RankFacts& rank) {
    const AttemptFacts& attempt = job_.attempts[index];
    if (!attempt.failed_by_itself(rank) || left_in_the_way(job_, index, rank) != nullptr) return;
    const bool lost = rank.exit_code == protocol::kCheckpointLostExitCode;
    if (!lost && (!attempt.resumed_from || went_on(index))) return;
    if (lost && !has(Reason::CheckpointLost)) settle(texts::checkpoint_lost(job_));
    if (!lost && !has(Reason::FailedAfterResume)) settle(texts::failed_after_resume(attempt, rank));
    lose_before(index);
  }

  // True when the attempt got beyond the step it was given: a failure after that is not one of loading.
  [[nodiscard]] bool went_on(std::size_t index) const {
    const AttemptFacts& attempt = job_.attempts[index];
    const auto further = [&](const CheckpointFacts& each) {
      return each.complete && !each.older && each.step > *attempt.resumed_from;
    };
    return resumption_of(job_, index) == Resumption::Shown || std::ranges::any_of(attempt.checkpoints, further);
  }

  // Reports the attempts in vain for which the operator gave up.
  void progress() {
    if (!verdict_.survived() || job_.outcome != JobFacts::Outcome::Stalled || job_.attempts.size() < 2) return;
    std::size_t first = job_.attempts.size();
    while (first > 0 && stuck(job_.attempts[first - 1])) --first;
    if (job_.attempts.size() - first < 2 || job_.attempts.back().failed_by_itself()) return;
    find(texts::no_progress(job_, first));
    for (std::size_t i = std::max<std::size_t>(first, 1); i < job_.attempts.size(); ++i) lose_before(i);
  }

  [[nodiscard]] bool stuck(const AttemptFacts& attempt) const {
    return attempt.resumed_from && attempt.resumed_from == job_.attempts.back().resumed_from &&
           std::ranges::none_of(attempt.checkpoints, [&](const CheckpointFacts& each) {
             return each.complete && each.step > *attempt.resumed_from;
           });
  }

  // The interruption after which that attempt was to go on.
  void lose_before(std::size_t index) {
    if (std::ranges::find(interruptions_, index - 1, &InterruptionFacts::attempt) != interruptions_.end())
      verdict_.lost.insert(index - 1);
  }

  void end() {
    if (!verdict_.survived()) return;
    if (job_.outcome == JobFacts::Outcome::Complete) return ended_with_0();
    if (const RankFacts* rank = first_failure(job_); rank != nullptr) {
      find(texts::trainer_failed(job_, *rank));
      later_ = !interruptions_.empty();
    } else if (job_.outcome != JobFacts::Outcome::Running && !kept_from_start()) {
      find(texts::not_resumed(job_));
    }
  }

  void ended_with_0() {
    if (const RankFacts* failed = ended_in_error(job_); failed != nullptr)
      find(texts::ended_in_error(*failed));
    else if (const RankFacts* rank = ended_short(job_); rank != nullptr)
      find(texts::ended_short(*rank));
    later_ = has_any() && !interruptions_.empty();
  }

  // Reports when no interruption shows what a notice does to the trainer.
  void heeded() {
    if (!verdict_.survived() || job_.outcome != JobFacts::Outcome::Complete) return;
    const auto unheeded = [&](const auto& each) { return starting(each) || (each.noticed && was_the_end(job_, each)); };
    if (std::ranges::all_of(interruptions_, unheeded)) return find(texts::ended_within_grace(interruptions_.back()));
    if (nothing_was_left(job_, interruptions_)) find(texts::nothing_left(job_));
  }

  void weights() {
    using State = WeightsFacts::State;
    if (!verdict_.survived()) return;
    if (job_.weights.state == State::Different) find(texts::weights_differ(job_));
    if (job_.weights.state == State::Arbitrary || job_.weights.state == State::NotCompared)
      find(texts::weights_not_compared(job_));
  }

  void advise() {
    if (const RankFacts* rank = first_failure(job_)) verdict_.advice.push_back(texts::failed_once(*rank));
    if (const RankFacts* rank = first_rank(job_, [](const RankFacts& each) { return each.killed; }); rank != nullptr)
      verdict_.advice.push_back(texts::killed_after_save(*rank));
    advise_on_the_end();
    if (resume_is_open()) verdict_.advice.push_back(texts::resume_not_shown());
    if (count_.torn > 0) verdict_.advice.push_back(texts::torn_seen(count_.torn));
    if (first_rank(job_, [](const RankFacts& each) { return each.left_behind > 0; }) != nullptr)
      verdict_.advice.push_back(texts::left_behind());
    for (const InterruptionFacts& each : interruptions_) {
      if (each.save_took && each.save_took->count() > job_.grace_seconds * 800) {
        verdict_.advice.push_back(texts::close_save(job_, each));
        return;
      }
    }
  }

  // Advises when a trainer saved soon but ended only when the grace was over: one of its processes kept it.
  void advise_on_the_end() {
    const runtime::Duration grace = std::chrono::seconds(job_.grace_seconds);
    for (const InterruptionFacts& each : interruptions_) {
      const AttemptFacts& attempt = job_.attempts[each.attempt];
      const auto ended = attempt.ended();
      if (!each.save_took || !ended || std::ranges::any_of(attempt.ranks, &RankFacts::killed)) continue;
      if (*ended - each.at < grace * 9 / 10 || *each.save_took > grace / 2) continue;
      return verdict_.advice.push_back(texts::held(each, *ended - each.at));
    }
  }

  // True when the trainer was given checkpoints, and printed nowhere whether it took one up.
  [[nodiscard]] bool resume_is_open() const {
    return any_resume_is(Resumption::NotShown) && !any_resume_is(Resumption::Shown);
  }

  [[nodiscard]] bool any_resume_is(Resumption resumption) const {
    return std::ranges::any_of(interruptions_, [&](const auto& each) { return each.resumption == resumption; });
  }

  const JobFacts& job_;
  const std::vector<InterruptionFacts> interruptions_;
  const Count count_;
  Verdict verdict_;
  bool later_ = false;  // failed by itself, with all interruptions behind it
};

}  // namespace

bool Verdict::open() const {
  return !findings.empty() && std::ranges::all_of(findings, &Finding::open);
}

Verdict judge(const JobFacts& job) {
  return Judge(job).run();
}

}  // namespace reprise::rehearsal
