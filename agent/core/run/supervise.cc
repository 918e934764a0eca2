#include "agent/core/run/supervise.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/ends/ended_by_heartbeat.h"
#include "agent/core/ends/ends_in_time.h"
#include "agent/core/ends/judge_end.h"
#include "agent/core/progress/hang_lookout.h"
#include "agent/core/progress/hear_trainer.h"
#include "agent/core/proofs/proofs.h"
#include "agent/core/proofs/shared_syncs.h"
#include "agent/core/record/report.h"
#include "agent/core/restore/common_step.h"
#include "agent/core/run/volume_workers.h"
#include "agent/core/space/space_at_end.h"
#include "agent/core/stop/requests/checkpoint_requests.h"
#include "agent/core/stop/requests/notice.h"
#include "agent/core/stop/stop_plan.h"
#include "agent/core/stop/telling/rank_ends.h"
#include "agent/core/stop/telling/telling.h"
#include "agent/core/stop/telling/told_together.h"
#include "agent/core/stop/telling/witness.h"
#include "agent/core/sums/shared_sums.h"
#include "agent/core/watch/full_verification.h"
#include "agent/core/watch/save_trail.h"
#include "agent/core/watch/watch.h"
#include "agent/core/watch/watch_options.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kKillTimeout{10'000};
constexpr milliseconds kEagerWatch{100};  // while a checkpoint is waited for
constexpr milliseconds kWakeStoppedEach{500};
constexpr milliseconds kVerifyPeriod{2'000};

// Signals the agent keeps to itself: job control of a terminal that is the trainer's, and its own children's ends.
bool is_forwarded(int signal) {
  return signal != SIGCHLD && signal != SIGTTIN && signal != SIGTTOU && signal != SIGPIPE;
}

// True for exit codes after which people want to know the trainer's last output.
bool is_failure(int exit_code) {
  return exit_code != 0 && exit_code != protocol::kCheckpointedExitCode;
}

class Supervisor {
 public:
  Supervisor(Session& session, std::shared_ptr<CheckpointWatch> watch, std::unique_ptr<Trainer> trainer,
             std::shared_ptr<const TrainerOutput> output, std::optional<std::string> annotation,
             std::shared_ptr<FullVerification> verification, std::shared_ptr<const SaveTrail> trail)
      : session_(session),
        watch_(std::move(watch)),
        trainer_(std::move(trainer)),
        telling_(session.host, *trainer_),
        rank_ends_(session.host, *trainer_, session.env.checkpoint_dir),
        output_(std::move(output)),
        watching_(session.host.threads().repeat(session.env.watch, [watch = watch_] { watch->look(); })),
        requests_(session, watch_, witness_, std::move(annotation)),
        hangs_(look_out_for_hangs(session, output_)),
        verification_(std::move(verification)),
        trail_(std::move(trail)) {}

  void run(Record& record) {
    while (!over()) step();
    const bool ran = !trainer_->exit_code();
    if (!trainer_->kill_all(kKillTimeout, [this](milliseconds moment) { pause(moment); })) {
      append(message_, "a process of the trainer could not be killed");
    }
    trainer_->give_terminal_back();
    session_.all_ended = drain_output() && session_.all_ended;
    const auto [fenced, cause] = ended_by_heartbeat(*session_.heartbeat, ran);
    if (fenced.empty() && stop_ && ended_by_itself(ran)) watch_->note_end();
    wait_for_no_sync();
    const bool looked = fenced.empty() && look_once_more();
    record.synced = looked && seal();
    session_.all_ended = watching_->finish(milliseconds(500)) && session_.all_ended;
    if (naming_) session_.all_ended = naming_->finish(milliseconds(500)) && session_.all_ended;
    requests_.finish();
    if (hangs_) session_.all_ended = hangs_->finish() && session_.all_ended;
    if (gathering_) session_.all_ended = gathering_->finish(milliseconds(50)) && session_.all_ended;
    const int code = trainer_->exit_code().value_or(128 + SIGKILL);
    record.exit_code = fenced.empty() ? rank_ends_.exit_code(code) : protocol::kFencedExitCode;
    if (fenced.empty()) append(message_, rank_ends_.describe(code));
    const auto verdict = judge_end({.exit_code = record.exit_code,
                                    .stop = stop_.has_value(),
                                    .requested = requests_.requested(),
                                    .fenced = !fenced.empty()});
    record.stop_requested = verdict.stop_requested;
    record.request_only = verdict.request_only;
    record.finished = verdict.finished;
    if (fenced.empty() && hang_) describe_hang(record);
    if (fenced.empty() && (!stop_ || hang_) && is_failure(record.exit_code)) session_.output = output_->last_lines();
    if (record.finished) record.told = told_at_end(output_->last_lines(), pattern_of(session_.env));
    const auto seen = watch_->seen();
    record.saved = stop_ && seen.durable && is_newer(*seen.durable, stop_baseline_);
    describe_checkpoint(seen, record);
    if (!fenced.empty()) record.reason = cause;
    if (record.reason == protocol::kReasonVolumeFull) look_for_room_at_start(session_, record);
    append(record.message, fenced);
    append(record.message, message_);
    if (fenced.empty() && !hang_ && is_failure(record.exit_code))
      look_for_room(session_, seen, *trail_,
                    {.output = output_->last_lines(), .stopped = stop_.has_value(), .looked = looked}, record);
    record.warning = seen.out_of_order;
    for (const std::string& reason : seen.left_alone) append(record.message, reason);
    append(record.message, seen.halves);
    append(record.message, seen.not_proven);
    if (verification_) record.damaged = verification_->damaged();
    if (!seen.problem.empty())
      append(record.message, "volume: " + seen.problem);
    else if (!session_.heartbeat->problem().empty())
      append(record.message, "volume: " + session_.heartbeat->problem());
  }

 private:
  // After a stop, so that what it has saved since is as it meant to leave it.
  [[nodiscard]] bool ended_by_itself(bool ran) const {
    constexpr std::array codes{0, protocol::kCheckpointedExitCode, protocol::kDoNotRestartExitCode, 128 + SIGTERM};
    const bool told =
        rank_ends_.all_ended_with(codes) || std::ranges::find(codes, trainer_->exit_code().value_or(-1)) != codes.end();
    return !ran && !killed_ && told && requests_.knows_newest() && telling_.all_handled();
  }

  // Without a stop request the trainer's end is the end. After one, what it left running may still be saving.
  [[nodiscard]] bool over() {
    if (!session_.heartbeat->may_write()) return true;
    if (!trainer_->exit_code()) return false;
    return stop_ ? (trainer_->group_gone() && telling_.ended()) || killed_ : !rank_ends_.outlive_launcher();
  }

  void step() {
    const auto soon = session_.clock.steady() + std::min<milliseconds>(session_.env.watch, milliseconds(1'000));
    const auto signal = stop_    ? session_.signals->wait(telling_.wake_at(std::min(soon, stop_at())))
                        : hangs_ ? session_.signals->wait(soon)
                                 : session_.signals->wait_idle(soon);
    if (signal) on_signal(*signal);
    if (session_.clock.steady() >= rank_ends_.look_at(witness_.look_at())) note_ranks();
    if (hangs_ && !stop_ && !over()) look_for_hang();
    if (stop_) go_on_stopping();
    for (const std::string& reason : new_among(watch_->seen().left_alone, left_alone_)) session_.host.say(reason);
    if (!stop_) requests_.look_at_annotation();
    requests_.settle();
  }

  [[nodiscard]] runtime::Instant stop_at() const {
    return asks_ && gathering_ ? gathering_->until() : stop_->wake_at();
  }

  void on_signal(const ReceivedSignal& signal) {
    if (signal.number == SIGCHLD) trainer_->reap();
    if (is_stop_request(signal)) {
      asked_ = true;
      if (!stop_) stop(signal.number);
      return;
    }
    if (!is_forwarded(signal.number)) return;
    if (is_request(signal.number, session_.env.notice_signal)) requests_.note_request();
    trainer_->send(signal.number);
  }

  void look_for_hang() {
    hang_ = hangs_->look(watch_->seen());
    if (!hang_) return;
    session_.host.say("the trainer hangs: " + describe(*hang_));
    hangs_->ask_where_it_stands(processes_now());
    stop(SIGTERM);
  }

  // Describes the hang, whatever exit code the stop had; that somebody requested a stop meanwhile is told as well.
  void describe_hang(Record& record) const {
    record.exit_code = protocol::kHungExitCode;
    record.reason = protocol::kReasonHung;
    record.stop_requested = asked_;
    append(record.message, describe(*hang_));
  }

  void stop(int signal) {
    const auto now = session_.clock.steady();
    session_.stop_requested = now;
    stop_signal_ = signal;
    session_.enter(Activity::Stopping);
    watch_->stop_pruning();
    session_.sums->hurry();
    wait_for_no_sync();
    // The next attempt is to find what is saved now, whenever this agent is killed.
    naming_ = write_down_names(session_, watch_);
    if (verification_) verification_->stop();  // the volume belongs to the save
    stop_baseline_ = requests_.newest_now();
    watching_->set_period(std::min(session_.env.watch, kEagerWatch));
    requests_.close();
    stop_.emplace(now, session_.env.grace, false);
    if (!hang_) gathering_ = ToldTogether::begin(session_);
    asks_ = true;
    go_on_stopping();
  }

  // Asks at the moment of all ranks.
  void ask() {
    asks_ = false;
    const auto requested = *session_.stop_requested;
    const StopPlan if_requested(requested, session_.env.grace, true);
    const auto left = if_requested.save_until() - session_.clock.steady();
    const auto delivered = requests_.notify(NoticeReason::Stop, std::chrono::duration_cast<milliseconds>(left));
    append(message_, delivered.problem);
    stop_.emplace(requested, session_.env.grace, delivered.any());
    session_.host.say(delivered.any() ? "stop requested: the trainer was asked for a checkpoint"
                                      : "stop requested: the signal is passed on");
    if (!gathering_) return;
    gathering_->end();
    tell_people(gathering_->describe());
  }

  void go_on_stopping() {
    if (asks_ && gathering_ && !gathering_->over(session_.clock.steady())) return;
    if (asks_) ask();
    wake_stopped();  // also who comes to stand still after the request
    tell_people(telling_.go_on());
    const auto seen = watch_->seen();
    const bool saved = seen.durable && is_newer(*seen.durable, stop_baseline_);
    switch (stop_->next(session_.clock.steady(), {.saved = requests_.is_to_end(saved),
                                                  .signalled_ended = telling_.ended(),
                                                  .trainer_ended = trainer_->exit_code().has_value(),
                                                  .learns_late = telling_.shows_ends_together()})) {
      case StopPlan::Action::Wait:
        return;
      case StopPlan::Action::Terminate:
        tell();
        return;
      case StopPlan::Action::TerminateTrainer:
        telling_.tell_trainer();
        return;
      case StopPlan::Action::TerminateGroup:
        telling_.let_go();
        trainer_->send_group(SIGTERM);
        return;
      case StopPlan::Action::Kill:
        append(message_, "the trainer had not ended when its grace was over, and was killed");
        trainer_->send_group(SIGKILL);
        killed_ = true;
        return;
    }
  }

  void tell() {
    const auto processes = processes_now();
    tell_people(telling_.tell(stop_signal_, processes));
    rank_ends_.note_told(telling_.ranks(), processes);
  }

  void note_ranks() {
    const auto processes = processes_now();
    if (!stop_) rank_ends_.note(processes, moves_of(session_.live.get(), watch_->seen()));
  }

  // Nobody else wakes who is stopped and can neither save nor end. Not at each signal: the list takes many calls.
  void wake_stopped() {
    const auto now = session_.clock.steady();
    if (now < wakes_stopped_at_) return;
    wakes_stopped_at_ = now + kWakeStoppedEach;
    for (const Process& each : session_.host.processes())
      if (each.stopped) session_.host.send(each.pid, SIGCONT);
  }

  std::vector<Process> processes_now() { return witness_.take(session_.host.processes(), session_.clock.steady()); }

  void tell_people(const std::string& line) const {
    if (!line.empty()) session_.host.say(line);
  }

  void wait_for_no_sync() const {
    if (session_.syncs) session_.syncs->hurry();
  }

  [[nodiscard]] bool look_once_more() {
    if (ends_in_time(session_, [watch = watch_] { watch->look(); })) return true;
    append(message_, "the volume did not answer at the end");
    return false;
  }

  // Nobody of this rank writes any more.
  [[nodiscard]] bool seal() {
    auto sealed = std::make_shared<bool>(false);
    const bool ended = ends_in_time(session_, [volume = session_.volume, sealed] { *sealed = Proofs::seal(*volume); });
    return ended && *sealed;
  }

  // A stop that is requested meanwhile leaves less time: the rest of the grace is the record's.
  [[nodiscard]] bool drain_output() {
    constexpr milliseconds moment{50};
    const auto until = [this] { return session_.clock.steady() + output_timeout(session_.time_left()); };
    for (auto deadline = until(); !trainer_->drain_output(moment);) {
      const auto now = session_.clock.steady();
      if (now >= deadline) return false;
      const auto signal = session_.signals->wait(now);
      if (!signal || !is_stop_request(*signal) || session_.stop_requested) continue;
      session_.stop_requested = now;
      deadline = std::min(deadline, until());
    }
    return true;
  }

  void pause(milliseconds moment) {
    const auto until = session_.clock.steady() + moment;
    while (session_.clock.steady() < until) std::ignore = session_.signals->wait(until);
  }

  Session& session_;
  std::shared_ptr<CheckpointWatch> watch_;
  std::unique_ptr<Trainer> trainer_;
  Witness witness_;
  Telling telling_;
  RankEnds rank_ends_;
  std::shared_ptr<const TrainerOutput> output_;
  std::unique_ptr<Worker> watching_, naming_;  // the latter from a stop on
  CheckpointRequests requests_;
  std::unique_ptr<HangLookout> hangs_;  // null where nobody has set a timeout
  std::shared_ptr<FullVerification> verification_;
  std::shared_ptr<const SaveTrail> trail_;
  std::optional<Hang> hang_;
  std::optional<StopPlan> stop_;
  runtime::Instant wakes_stopped_at_ = runtime::Instant::min();
  std::unique_ptr<ToldTogether> gathering_;  // null where no other ranks are told
  bool asks_ = false;                        // a stop was requested, and the trainer was not told of it yet
  std::optional<Checkpoint> stop_baseline_;
  bool killed_ = false;
  bool asked_ = false;                // somebody else than this agent has requested the stop
  int stop_signal_ = SIGTERM;         // the one that requested the stop
  std::set<std::string> left_alone_;  // reasons that were said: once is enough
  std::string message_;
};

}  // namespace

Record supervise(Session& session, const std::vector<std::string>& command, const Startup& startup, Record record) {
  remove_notice(session.env, session.volume->files);
  take_back_told(session);
  // Before the trainer runs: what comes later is a request.
  auto annotation = read_checkpoint_request(session.env, session.volume->files);
  const std::string checkpoint =
      startup.point.step ? session.volume->format->resume_path(session.volume->layout.root, startup.point.path).string()
                         : std::string();
  const auto output = hear_trainer(session);
  auto trainer = session.host.start_trainer(command, checkpoint);
  if (!trainer) {
    session.host.say(trainer.error().message);
    record.exit_code = trainer.error().error_class == runtime::ErrorClass::NotFound ? protocol::kNotFoundExitCode
                                                                                    : protocol::kNotExecutableExitCode;
    record.reason = protocol::kReasonCannotStart;
    record.synced = keeps_proofs(session.volume->files);
    append(record.message, trainer.error().message);
    describe_volume(session, record);
    return record;
  }
  session.enter(Activity::Training);
  record.resumed_from = startup.point.step;
  record.resumed_path = startup.point.path;
  const auto verification = verify_in_full(session);
  std::function<bool(const Checkpoint&)> may_outlive;
  if (verification)
    may_outlive = [verification](const Checkpoint& durable) { return verification->has_passed(durable); };
  // Other ranks delete older checkpoints on volumes of their own for one that is told as durable: not before it was
  // read here.
  const auto trail = std::make_shared<SaveTrail>();
  const auto told = [tell = tell_of_checkpoints(session), verification, trail](CheckpointWatch::Seen seen) {
    trail->note(seen);
    if (verification) verification->offer(seen.durable, seen.lasting);
    if (verification && seen.durable && !verification->has_passed(*seen.durable)) seen.structure_only = true;
    if (tell) tell(seen);
  };
  if (session.env.is_gang()) session.sums->wait_for_others();
  session.syncs = share_syncs(session);
  auto options = watch_options(session, startup);
  options.may_outlive = std::move(may_outlive);
  options.told = told;
  auto watch = std::make_shared<CheckpointWatch>(session.volume, std::move(options));
  const auto tidying = tidy_volume(session);
  const auto verifying =
      verification ? session.host.threads().repeat(kVerifyPeriod, [verification] { verification->look(); }) : nullptr;
  Supervisor(session, std::move(watch), std::move(*trainer), output, std::move(annotation), verification, trail)
      .run(record);
  if (verification) verification->stop();
  if (verifying) session.all_ended = verifying->finish(milliseconds(500)) && session.all_ended;
  if (tidying) session.all_ended = tidying->finish(milliseconds(500)) && session.all_ended;
  return record;
}

}  // namespace reprise::agent
