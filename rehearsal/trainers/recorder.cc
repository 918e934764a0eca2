#include "rehearsal/trainers/recorder.h"

#include <algorithm>
#include <iterator>

#include "agent/core/restore/resume_point.h"
#include "agent/volume/volume_layout.h"
#include "rehearsal/trainers/output_reader.h"
#include "runtime/base/files/file_text.h"

namespace reprise::rehearsal {
namespace {

using runtime::Duration;

std::string text_in(const std::filesystem::path& file) {
  return runtime::file_text(file).value_or("");
}

constexpr std::size_t kQuoted = 10;

void read_output(const std::filesystem::path& output, RankFacts& rank) {
  const std::string text = ends_of_file(output);
  const PrintedSteps steps = printed_steps(text);
  rank.first_printed = steps.first;
  rank.last_printed = steps.last;
  rank.printed_total = steps.total;
  rank.counts_from = steps.counts_from;
  rank.counts_by = steps.counts_by;
  rank.counts_again = steps.counts_again;
  rank.last_output = last_output(text);
  rank.last_lines = last_lines(text, kQuoted);
}

constexpr int kKilled = 137;
constexpr std::size_t kLastLines = 3;
constexpr std::chrono::milliseconds kTick{20};  // at most, for a kernel
constexpr std::chrono::seconds kHolds{10};      // after this a trainer that has saved only waits to be killed
constexpr std::uintmax_t kFull = 1 << 20;       // bytes left on a disk on which nothing can be saved

}  // namespace

Recorder::Followed* Recorder::find(const std::string& job) {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? nullptr : &found->second;
}

const Recorder::Followed* Recorder::find(const std::string& job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? nullptr : &found->second;
}

void Recorder::follow(const RecordedJob& job) {
  Followed& followed = jobs_[job.key];
  followed.job = job;
  followed.watch = std::make_unique<VolumeWatch>(job.volume, job.format);
  followed.facts = {.name = job.key.substr(job.key.find('/') + 1),
                    .checkpoint_path = job.checkpoint_path,
                    .bytes_there = job.bytes_there,
                    .notice_by_request = job.notice_by_request,
                    .grace_seconds = job.grace_seconds,
                    .start_limit = job.start_limit};
}

AttemptFacts& Recorder::attempt_of(Followed& followed, std::int64_t number) {
  auto& attempts = followed.facts.attempts;
  const auto found = std::ranges::find(attempts, number, &AttemptFacts::number);
  return found != attempts.end() ? *found : attempts.emplace_back(AttemptFacts{.number = number});
}

RankFacts* Recorder::rank_of(Followed& followed, const TrainerKey& trainer) {
  for (RankFacts& rank : attempt_of(followed, trainer.attempt).ranks)
    if (rank.rank == trainer.rank) return &rank;
  return nullptr;
}

void Recorder::began(const TrainerKey& trainer, std::filesystem::path output, std::function<Disposition()> on_term) {
  Followed* followed = find(trainer.job);
  if (followed == nullptr) return;
  look(*followed);  // existing checkpoints belong to the attempt before
  AttemptFacts& attempt = attempt_of(*followed, trainer.attempt);
  std::erase_if(attempt.ranks, [&](const RankFacts& each) { return each.rank == trainer.rank; });
  attempt.ranks.push_back({.rank = trainer.rank, .began = time_.now()});
  std::ranges::sort(attempt.ranks, {}, &RankFacts::rank);
  followed->began = time_.real_elapsed();
  followed->answered.reset();
  followed->outputs[trainer] = std::move(output);
  followed->on_term[trainer] = std::move(on_term);
}

void Recorder::asked(const TrainerKey& trainer, Disposition on_term, Disposition on_notice) {
  Followed* followed = find(trainer.job);
  RankFacts* rank = followed == nullptr ? nullptr : rank_of(*followed, trainer);
  if (rank == nullptr || rank->ended) return;
  look(*followed);  // existing checkpoints came before
  if (AttemptFacts& attempt = attempt_of(*followed, trainer.attempt); !attempt.asked()) {
    const Sign sign = sign_of(*followed, attempt);
    const bool had = had_its_start(*followed);
    attempt.starting = followed->shown < attempt.number && !(sign == Sign::Handler && had);
    attempt.silent = attempt.starting && had;
  }
  rank->printed_when_asked = printed_steps(ends_of_file(followed->outputs[trainer])).last;
  rank->asked = time_.now();
  rank->on_term = on_term;
  rank->on_notice = on_notice;
}

void Recorder::ended(const TrainerKey& trainer, const TrainerEnd& end) {
  Followed* followed = find(trainer.job);
  RankFacts* rank = followed == nullptr ? nullptr : rank_of(*followed, trainer);
  if (rank == nullptr || rank->ended) return;
  rank->ended = time_.now();
  rank->exit_code = end.exit_code;
  rank->killed = end.killed || (rank->asked && end.exit_code == kKilled);
  rank->vanished = end.vanished && !rank->asked;
  rank->left_behind = end.left_behind;
  if (end.record) {
    rank->finished = end.record->finished;
    rank->reason = end.record->reason;
    rank->message = end.record->message;
  }
  read_output(followed->outputs[trainer], *rank);
  look_at_disk(*followed, rank);
  look(*followed);
  AttemptFacts& attempt = attempt_of(*followed, trainer.attempt);
  if (end.record && end.record->resumed_from) attempt.resumed_from = end.record->resumed_from;
  if (!attempt.ended()) return;
  for (const SeenCheckpoint& torn : followed->watch->torn()) add(attempt, torn);
  if (attempt.starting && std::ranges::none_of(attempt.checkpoints, &CheckpointFacts::complete))
    followed->handler_is_no_sign = true;
}

InitContainerFacts* Recorder::init_container_of(const TrainerKey& trainer, const std::string& container) {
  Followed* followed = find(trainer.job);
  if (followed == nullptr) return nullptr;
  for (InitContainerFacts& each : followed->facts.init_containers)
    if (each.attempt == trainer.attempt && each.rank == trainer.rank && each.name == container) return &each;
  return nullptr;
}

void Recorder::prepares(const TrainerKey& trainer, const std::string& container, std::filesystem::path output) {
  forget_preparation(trainer, container);  // its pod was replaced
  if (Followed* followed = find(trainer.job))
    followed->facts.init_containers.push_back(
        {.name = container, .attempt = trainer.attempt, .rank = trainer.rank, .output = output.string()});
}

void Recorder::prepared(const TrainerKey& trainer, const std::string& container, int exit_code, std::string message) {
  if (exit_code == 0) return forget_preparation(trainer, container);
  InitContainerFacts* facts = init_container_of(trainer, container);
  if (facts == nullptr) return;
  facts->exit_code = exit_code;
  facts->message = std::move(message);
  facts->last_output = last_output(ends_of_file(facts->output), kLastLines);
}

void Recorder::forget_preparation(const TrainerKey& trainer, const std::string& container) {
  const InitContainerFacts* facts = init_container_of(trainer, container);
  if (facts == nullptr) return;
  auto& all = find(trainer.job)->facts.init_containers;
  all.erase(all.begin() + (facts - all.data()));
}

CheckpointFacts& Recorder::add(AttemptFacts& attempt, const SeenCheckpoint& seen) const {
  // File systems stamp with a clock that lags by up to a tick of the kernel: a trainer that saves at once would seem
  // to have saved before it was asked.
  const Duration stamped = std::min(time_.cluster_time(seen.time), time_.now() - Duration{1});
  const Duration asked = attempt.asked().value_or(stamped);
  // An incomplete one is found only at the end, and may be old.
  const bool old = !seen.complete && stamped + time_.to_cluster(kTick) < asked;
  const Duration at = old ? stamped : std::max(stamped, asked);
  const bool older = !attempt.ranks.empty() &&
                     stamped + time_.to_cluster(kTick) < std::ranges::min(attempt.ranks, {}, &RankFacts::began).began;
  return attempt.checkpoints.emplace_back(CheckpointFacts{.step = seen.step,
                                                          .at = at,
                                                          .bytes = seen.bytes,
                                                          .complete = seen.complete,
                                                          .name = seen.name,
                                                          .format = seen.format,
                                                          .older = older});
}

std::optional<std::int64_t> Recorder::last_printed(const Followed& followed, const AttemptFacts& attempt) {
  std::optional<std::int64_t> last;
  for (const auto& [trainer, output] : followed.outputs) {
    if (trainer.attempt != attempt.number) continue;
    const auto printed = printed_steps(ends_of_file(output)).last;
    if (printed) last = std::max(last.value_or(*printed), *printed);
  }
  return last;
}

void Recorder::look() {
  for (auto& [key, followed] : jobs_) look(followed);
}

void Recorder::look(Followed& followed) {
  if (followed.facts.attempts.empty()) return;
  AttemptFacts& attempt = followed.facts.attempts.back();
  if (const auto fresh = followed.watch->look(); !fresh.empty()) {
    const auto printed = last_printed(followed, attempt);
    for (const SeenCheckpoint& seen : fresh) add(attempt, seen).printed = printed;
    if (attempt.asked()) followed.answered = time_.real_elapsed();
  }
  look_at_start(followed, attempt);
  look_for_handlers(followed, attempt);
  if (attempt.resumed_from || attempt.ranks.empty() || attempt.number < 2) return;
  const agent::VolumeLayout layout{.root = followed.job.volume};
  const auto point =
      agent::decode_resume_point(text_in(layout.resume_point(static_cast<std::int32_t>(attempt.number))));
  if (point) attempt.resumed_from = point->step;
}

Recorder::Sign Recorder::sign_of(const Followed& followed, const AttemptFacts& attempt) {
  if (attempt.ranks.empty()) return Sign::Nothing;
  if (!attempt.checkpoints.empty() || last_printed(followed, attempt)) return Sign::Work;
  const bool handled = std::ranges::all_of(attempt.ranks, [&](const RankFacts& rank) {
    const auto found = followed.on_term.find({followed.job.key, attempt.number, rank.rank});
    return !rank.ended && found != followed.on_term.end() && found->second && found->second() == Disposition::Handled;
  });
  return handled ? Sign::Handler : Sign::Nothing;
}

void Recorder::look_for_handlers(const Followed& followed, AttemptFacts& attempt) {
  for (RankFacts& rank : attempt.ranks) {
    if (rank.handled_earlier || rank.asked || rank.ended) continue;
    const auto found = followed.on_term.find({followed.job.key, attempt.number, rank.rank});
    rank.handled_earlier = found != followed.on_term.end() && found->second && found->second() == Disposition::Handled;
  }
}

bool Recorder::had_its_start(const Followed& followed) const {
  return time_.real_elapsed() - followed.began >= followed.job.start_limit;
}

void Recorder::look_at_start(Followed& followed, const AttemptFacts& attempt) const {
  if (followed.shown >= attempt.number || attempt.ranks.empty()) return;
  const Sign sign = sign_of(followed, attempt);
  if (sign == Sign::Work) followed.shown = attempt.number;
  const bool signs = sign == Sign::Work || (sign == Sign::Handler && !followed.handler_is_no_sign);
  if (followed.at_work >= attempt.number || (!signs && !had_its_start(followed))) return;
  followed.at_work = attempt.number;
  followed.start_took = std::max(followed.start_took, time_.real_elapsed() - followed.began);
}

bool Recorder::saving() const {
  return std::ranges::any_of(jobs_, [&](const auto& each) { return saving(each.second); });
}

bool Recorder::saving(const Followed& followed) const {
  if (followed.facts.attempts.empty()) return false;
  const bool at_it = std::ranges::any_of(followed.facts.attempts.back().ranks, [&](const RankFacts& rank) {
    return rank.asked && !rank.ended && (rank.on_term != Disposition::Ignored || followed.facts.notice_by_request);
  });
  const bool holds = followed.answered && time_.real_elapsed() - *followed.answered >= kHolds;
  return at_it && !(holds && !followed.watch->incomplete());
}

void Recorder::look_at_disk(Followed& followed, const RankFacts* rank) {
  std::string& full = followed.facts.disk_full;
  if (!full.empty()) return;
  std::error_code problem;
  const auto space = std::filesystem::space(followed.job.volume, problem);
  if (!problem && space.available < kFull)
    full = followed.job.volume.string() + " is on a disk with " + std::to_string(space.available) + " bytes left";
  if (rank == nullptr || rank->exit_code == 0 || !full.empty()) return;
  for (const std::string& line : rank->last_lines)
    for (const std::string_view error : {"No space left on device", "Disk quota exceeded"})
      if (line.find(error) != std::string::npos) full = "rank " + std::to_string(rank->rank) + " printed: " + line;
}

void Recorder::measure() {
  for (auto& [key, followed] : jobs_) {
    followed.facts.bytes_used = std::max(followed.facts.bytes_used, followed.watch->bytes());
    look_at_disk(followed, nullptr);
    for (InitContainerFacts& each : followed.facts.init_containers)
      if (!each.exit_code) each.last_output = last_output(ends_of_file(each.output), kLastLines);
  }
}

bool Recorder::volume_overflows() const {
  return std::ranges::any_of(jobs_, [](const auto& each) {
    const JobFacts& facts = each.second.facts;
    return facts.bytes_there > 0 && facts.bytes_used > facts.bytes_there;
  });
}

const JobFacts* Recorder::facts(const std::string& job) const {
  const Followed* followed = find(job);
  return followed == nullptr ? nullptr : &followed->facts;
}

std::int64_t Recorder::step_of(const TrainerKey& trainer) const {
  const Followed* followed = find(trainer.job);
  if (followed == nullptr) return -1;
  const auto output = followed->outputs.find(trainer);
  if (output == followed->outputs.end()) return -1;
  return printed_steps(ends_of_file(output->second)).last.value_or(-1);
}

std::int64_t Recorder::newest_step(const std::string& job) const {
  std::int64_t newest = -1;
  if (const Followed* followed = find(job))
    for (const AttemptFacts& attempt : followed->facts.attempts)
      for (const CheckpointFacts& each : attempt.checkpoints)
        if (each.complete) newest = std::max(newest, each.step);
  return newest;
}

std::optional<Duration> Recorder::newest_time(const std::string& job) const {
  std::optional<Duration> newest;
  if (const Followed* followed = find(job))
    for (const AttemptFacts& attempt : followed->facts.attempts)
      for (const CheckpointFacts& each : attempt.checkpoints)
        if (each.complete) newest = std::max(newest.value_or(each.at), each.at);
  return newest;
}

Duration Recorder::start_took(const std::string& job) const {
  const Followed* followed = find(job);
  return followed == nullptr ? Duration{0} : followed->start_took;
}

bool Recorder::trains(const std::string& job, std::int64_t parallelism) const {
  const Followed* followed = find(job);
  if (followed == nullptr || followed->facts.attempts.empty()) return false;
  const AttemptFacts& attempt = followed->facts.attempts.back();
  return std::ssize(attempt.ranks) >= parallelism && followed->at_work >= attempt.number &&
         std::ranges::none_of(attempt.ranks, [](const RankFacts& each) { return each.asked || each.ended; });
}

}  // namespace reprise::rehearsal
