#include "rehearsal/verdict/verdict_texts.h"

#include <fmt/format.h>

namespace reprise::rehearsal::texts {
namespace {

constexpr const char* kHandle =
    "have the trainer catch SIGTERM, write a checkpoint to $REPRISE_CHECKPOINT_DIR and exit; or let it save on another "
    "signal or a notice file (spec.checkpoint.onNotice)";
constexpr const char* kLayout =
    "save to $REPRISE_CHECKPOINT_DIR as PyTorch DCP, Hugging Face Trainer, Lightning, DeepSpeed or Orbax do "
    "(docs/checkpoints.md); in a format of your own, write each checkpoint into a directory with the step in its name, "
    "for example $REPRISE_CHECKPOINT_DIR/step-400, and the empty file _COMPLETE into it last";

std::string quoted(const std::string& last_output) {
  return last_output.empty() ? "" : "; its last output: " + last_output;
}

std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : ", ") + each;
  return text;
}

std::string at(const InterruptionFacts& interruption) {
  return "the notice at " + seconds(interruption.at);
}

}  // namespace

std::string seconds(Duration duration) {
  return fmt::format("{:.1f} s", static_cast<double>(duration.count()) / 1000);
}

Finding cannot_start(const RankFacts& rank) {
  return {Reason::CannotStart,
          "the training command could not be started" + (rank.message.empty() ? "" : ": " + rank.message) +
              quoted(rank.last_output),
          "a rehearsal does not use the image: the command of the job must be one that runs on this machine, from the "
          "directory in which the rehearsal was started"};
}

Finding init_container_failed(const InitContainerFacts& container) {
  const std::string end = container.exit_code ? fmt::format("ended with {}", *container.exit_code)
                                              : "had not ended when the rehearsal was over";
  return {Reason::InitContainerFailed,
          fmt::format("initContainer {} of rank {} in attempt {} {}, so that the trainer was not started{}{}",
                      container.name, container.rank, container.attempt, end,
                      container.message.empty() ? "" : ": " + container.message, quoted(container.last_output)),
          fmt::format("initContainers run on this machine, without their image, from the directory in which the "
                      "rehearsal was started: give spec.template.spec.initContainers what it needs here, or leave {} "
                      "out of the job that is rehearsed; all that it printed is in {}",
                      container.name, container.output)};
}

Finding volume_full(const JobFacts& job) {
  return {
      Reason::VolumeFull,
      fmt::format("{} bytes were on the volume, and its claim asks for {}", job.bytes_used, job.bytes_there),
      "ask for more in spec.checkpoint.volume.claimTemplate: one checkpoint more than spec.checkpoint.keep, two where "
      "ranks share a volume, because the oldest goes only when the newest is safe; or have the script delete what it "
      "does not need"};
}

Finding disk_full(const JobFacts& job) {
  return {Reason::DiskFull, "a disk of this machine is full, which says nothing about the script: " + job.disk_full,
          "make room, or let the rehearsal write elsewhere (--output-dir)", true};
}

Finding ended_too_early(const JobFacts& job) {
  const auto& attempt = job.attempts.back();
  const auto ran = attempt.ended().value_or(Duration{0}) - attempt.ranks.front().began;
  return {Reason::EndedTooEarly,
          fmt::format("the trainer ended with 0 after {} and had written no checkpoint; 0 is taken for the end of the "
                      "whole training",
                      seconds(ran)),
          "exit with another code when the work is not done; let it run long enough to be interrupted"};
}

Finding ended_in_error(const RankFacts& rank) {
  return {Reason::EndedInError,
          fmt::format("rank {} ended with 0, which is taken for the end of the training, and the last it printed is an "
                      "error: {}",
                      rank.rank, error_in(rank.last_lines)),
          "let the script end with the trainer's code: begin its line with exec; a pipe, \"; cp ...\", \"|| true\" and "
          "\"wait\" swallow it (reprise lint says where)"};
}

Finding ended_short(const RankFacts& rank) {
  return {
      Reason::EndedShort,
      fmt::format("rank {} ended with 0, which is taken for the end of the training, and had printed step {} of {}",
                  rank.rank, rank.last_printed.value_or(0), rank.printed_total.value_or(0)),
      "end with another code where the work is not done; where a shell is around the trainer, see that it hands the "
      "code on"};
}

Finding nothing_left(const JobFacts& job) {
  return {Reason::NothingRehearsed,
          fmt::format("given step {}, the trainer ended with 0 at once and had done nothing: whether it goes on from a "
                      "checkpoint was not seen",
                      job.attempts.back().resumed_from.value_or(0)),
          "save under the step that was reached; let it train longer than to its first interruption", true};
}

Finding started_again(const InterruptionFacts& interruption, const SecondLife& life) {
  return {Reason::StartedAgain,
          fmt::format("after {} it saved step {}, and then step {}: the trainer was started again after its save, and "
                      "the later checkpoint counts",
                      at(interruption), life.first, life.second),
          "start the trainer once: leave out the loop around it (until, while, a supervisor); the job starts it again"};
}

Finding left_in_the_way(const AttemptFacts& attempt, const RankFacts& rank, const CheckpointFacts& left) {
  return {
      Reason::LeftInTheWay,
      fmt::format("rank {} of attempt {} ended by itself with {}, and its last lines name {}, which an earlier attempt "
                  "left incomplete{}",
                  rank.rank, attempt.number, rank.exit_code, left.name, quoted(rank.last_output)),
      "have the trainer remove, or write over, what is left of an unfinished save before it saves that step again"};
}

Finding nothing_rehearsed(const JobFacts& job) {
  using Outcome = JobFacts::Outcome;
  const std::string message = job.message.empty() ? "" : ": " + job.message;
  if (job.outcome == Outcome::Suspended)
    return {Reason::NothingRehearsed, "the job is suspended" + message, "rehearse it without spec.suspend", true};
  if (job.attempts.empty() && job.outcome == Outcome::Running)
    return {Reason::NothingRehearsed, "no attempt was started within the time given" + message,
            "see that the job asks for what its pool has; more time (--limit) helps where a node was to come yet",
            true};
  if (job.attempts.empty() && job.outcome != Outcome::Complete)
    return {
        Reason::NothingRehearsed, "the trainer was never started" + message,
        "mend what that says; the other containers of the pod run on this machine as well, and what they print lies "
        "beside the volumes, below pods/",
        true};
  const bool complete = job.outcome == Outcome::Complete;
  return {Reason::NothingRehearsed,
          (complete ? "the training finished before the first interruption came"
                    : "no interruption came within the time given") +
              message,
          "let it train longer, interrupt it earlier (--interrupt-every), or give it more time (--limit)", true};
}

Finding interrupted_too_early(const JobFacts& job, const InterruptionFacts& interruption) {
  const AttemptFacts& attempt = job.attempts[interruption.attempt];
  return {
      Reason::NothingRehearsed,
      "each interruption came before the trainer showed that it trains: " + at(interruption) + " came " +
          seconds(interruption.at - attempt.ranks.front().began) + " after its start",
      "let it train longer before it is interrupted (--interrupt-every) and as a whole (--limit), and have it print "
      "its steps",
      true};
}

Finding ended_within_grace(const InterruptionFacts& interruption) {
  return {Reason::NothingRehearsed,
          "the trainer went on after " + at(interruption) +
              " to its end, within the grace: whether it saves on a notice, and goes on from there, was not seen",
          "let it train longer than its grace (spec.checkpoint.graceSeconds); if it should have ended at the notice, " +
              std::string(kHandle),
          true};
}

Finding silent(const JobFacts& job) {
  return {
      Reason::NothingRehearsed,
      "the trainer showed nothing of its work within " + seconds(job.start_limit) +
          ": it printed no step (\"step 40\"), wrote no checkpoint to " + job.checkpoint_path +
          " and had no handler for SIGTERM",
      "if it was still starting, give it more time (--start-limit); else " + std::string(kHandle) + "; and " + kLayout,
      true};
}

Finding trainer_failed(const JobFacts& job, const RankFacts& rank) {
  return {Reason::TrainerFailed,
          fmt::format("rank {} ended by itself with {}{}{}", rank.rank, rank.exit_code,
                      job.message.empty() ? "" : ": " + job.message, quoted(rank.last_output)),
          "see its output; a rehearsal needs a training that runs"};
}

Finding no_marker(const JobFacts& job) {
  const std::string why = job.not_laid_out.empty()
                              ? "no library's format fits, none has a file _COMPLETE, and a rename into place is not "
                                "taken for it"
                              : joined(job.not_laid_out);
  return {
      Reason::NoMarker,
      "there were directories that look like checkpoints in " + job.checkpoint_path + ", and none was complete: " + why,
      kLayout};
}

Finding output_elsewhere(const JobFacts& job) {
  const bool empty = job.not_laid_out.empty();
  const std::string there =
      empty ? "nothing was saved in " + job.checkpoint_path
            : "nothing in " + job.checkpoint_path + " is laid out as a checkpoint (" + joined(job.not_laid_out) + ")";
  return {Reason::OutputElsewhere, there + ", but elsewhere this looks like one: " + job.elsewhere.front(),
          "have the trainer save to $REPRISE_CHECKPOINT_DIR: what lies elsewhere goes with the node" +
              (empty ? "" : std::string("; ") + kLayout)};
}

Finding never_checkpoints(const JobFacts& job) {
  if (job.not_laid_out.empty())
    return {Reason::NeverCheckpoints, "nothing was written to " + job.checkpoint_path, kLayout};
  return {Reason::NeverCheckpoints,
          "nothing in " + job.checkpoint_path + " is laid out as a checkpoint: " + joined(job.not_laid_out), kLayout};
}

Finding torn(const InterruptionFacts& interruption) {
  return {
      Reason::TornCheckpoint,
      fmt::format("the checkpoint written after {} was left incomplete (step {})", at(interruption),
                  interruption.torn_answer.value_or(0)),
      "end only when the save has returned and all of its files, with a format of your own its marker _COMPLETE, are "
      "written; on a save that fails, exit with an error"};
}

Finding ignores_sigterm(const InterruptionFacts& interruption, const RankFacts& rank) {
  const bool handled = rank.on_term == Disposition::Handled;
  return {Reason::IgnoresSigterm,
          std::string("the trainer ") +
              (handled ? "has a handler for SIGTERM and takes no heed of it" : "ignores SIGTERM") +
              ": it went on after " + at(interruption) + " until it was killed",
          kHandle};
}

Finding save_too_slow(const JobFacts& job, const InterruptionFacts& interruption) {
  return {Reason::SaveTooSlow,
          fmt::format("{} s after {} no new checkpoint was complete, and the trainer was killed", job.grace_seconds,
                      at(interruption)),
          "save faster (fewer bytes, asynchronously, each rank its own part), or allow more in "
          "spec.checkpoint.graceSeconds where the provider's notice is longer"};
}

Finding no_handler(const InterruptionFacts& interruption) {
  return {Reason::NoHandler,
          "the trainer has no handler for SIGTERM: it died of it after " + at(interruption) + " and saved nothing",
          kHandle};
}

Finding no_checkpoint_after_notice(const InterruptionFacts& interruption, const RankFacts& rank) {
  const std::int64_t newest = interruption.step_saved.value_or(interruption.step_given);
  return {Reason::NoCheckpointAfterNotice,
          fmt::format("no new checkpoint came after {}: the trainer ended with {} and left {}", at(interruption),
                      rank.exit_code, newest > 0 ? fmt::format("step {} as the newest", newest) : "no checkpoint"),
          kHandle};
}

Finding resumed_from_zero(const AttemptFacts& attempt, std::optional<std::int64_t> earlier) {
  const std::string seen =
      earlier ? fmt::format("wrote a checkpoint of step {} afterwards: it did not go on from there", *earlier)
              : "began anew: the steps it printed and its checkpoints count from the start";
  return {Reason::ResumedFromZero,
          fmt::format("attempt {} was given step {} and {}", attempt.number, attempt.resumed_from.value_or(0), seen),
          "load the checkpoint that $REPRISE_RESUME_FROM names when that is set"};
}

Finding resumed_from_earlier(const AttemptFacts& attempt, std::int64_t began) {
  return {Reason::ResumedFromEarlier,
          fmt::format("attempt {} was given step {} and went on from step {}: the steps it printed count from there",
                      attempt.number, attempt.resumed_from.value_or(0), began),
          "load the checkpoint that $REPRISE_RESUME_FROM names when that is set; where the script looks for the newest "
          "one itself, it must compare steps as numbers (as text, 91 comes after 114), and take those that were saved "
          "on a notice too"};
}

Finding no_progress(const JobFacts& job, std::size_t first) {
  return {
      Reason::NoProgress,
      fmt::format("attempts {} to {} were each given step {}, and none wrote a later checkpoint",
                  job.attempts[first].number, job.attempts.back().number, job.attempts.back().resumed_from.value_or(0)),
      "load the checkpoint that $REPRISE_RESUME_FROM names when that is set, and save under the number of the step "
      "that was reached; if the script does both, interrupt it less often (--interrupt-every)"};
}

Finding failed_after_resume(const AttemptFacts& attempt, const RankFacts& rank) {
  return {Reason::FailedAfterResume,
          fmt::format("attempt {} was given step {} and ended with {}{}", attempt.number,
                      attempt.resumed_from.value_or(0), rank.exit_code, quoted(rank.last_output)),
          "see how the trainer loads the checkpoint that $REPRISE_RESUME_FROM names"};
}

Finding checkpoint_lost(const JobFacts& job) {
  return {
      Reason::CheckpointLost, "a checkpoint that had been complete was not on the volume any more: " + job.message,
      "see what became of it: where the trainer deletes old checkpoints or writes over them, leave them to the agent, "
      "which keeps spec.checkpoint.keep of them; where a part of a save is missing, let no rank end before its own "
      "is written"};
}

Finding not_resumed(const JobFacts& job) {
  return {Reason::NotResumed, "the job was not run again" + (job.message.empty() ? "" : ": " + job.message),
          "see the events in the report; where there was no capacity, allow more time (--limit)",
          job.outcome == JobFacts::Outcome::Running};
}

Finding weights_differ(const JobFacts& job) {
  return {
      Reason::WeightsDiffer,
      "the training ended with other weights than one that was not interrupted: " + job.weights.what +
          "; two runs without interruptions are equal",
      "save and load all that the training goes on from: weights, optimizer, learning rate schedule, random numbers, "
      "the place in the data"};
}

Finding weights_not_compared(const JobFacts& job) {
  if (job.weights.state == WeightsFacts::State::Arbitrary)
    return {Reason::WeightsNotCompared,
            "two runs without interruptions end with different weights themselves: " + job.weights.what,
            "fix the seeds, or name a command that tells what is near enough (--compare)", true};
  return {Reason::WeightsNotCompared, "the weights were not compared: " + job.weights.what,
          "make the training short enough that it ends (--limit)", true};
}

std::string failed_once(const RankFacts& rank) {
  return fmt::format("rank {} ended once with {} by itself, long after what was loaded, and was run again{}", rank.rank,
                     rank.exit_code, quoted(rank.last_output));
}

std::string killed_after_save(const RankFacts& rank) {
  return fmt::format(
      "rank {} {} and holds its node until it is killed, though the checkpoint is saved: have every rank end on "
      "SIGTERM",
      rank.rank, rank.on_term == Disposition::Ignored ? "ignores SIGTERM" : "does not end on SIGTERM");
}

std::string torn_seen(std::size_t count) {
  return fmt::format("{} incomplete checkpoint{} set aside; the newest complete one was used", count,
                     count == 1 ? " was" : "s were");
}

std::string resume_not_shown() {
  return "nothing showed whether the trainer went on from the checkpoint it was given or began anew: have it print its "
         "steps, as in \"step 40\", or save more often";
}

std::string held(const InterruptionFacts& interruption, Duration held) {
  return fmt::format(
      "after {} the trainer had saved within {}, but its node was held for {}, to the end of the grace: end it, and "
      "every process it has started, once the checkpoint is complete",
      at(interruption), seconds(*interruption.save_took), seconds(held));
}

std::string left_behind() {
  return "the trainer left processes behind when it ended; they were killed";
}

std::string close_save(const JobFacts& job, const InterruptionFacts& interruption) {
  return fmt::format("a save took {} of the {} s it may take", seconds(*interruption.save_took), job.grace_seconds);
}

}  // namespace reprise::rehearsal::texts
