#include "simulator/actors/agent/agent_host.h"

#include <csignal>
#include <utility>

namespace reprise::simulator {
namespace {

constexpr int kKilled = 137;
constexpr pid_t kAgentPid = 1, kTrainerPid = 2;

std::uint64_t mask_of(int signal) {
  return signal == 0 ? 0 : std::uint64_t{1} << static_cast<unsigned>(signal - 1);
}

}  // namespace

void AgentSignals::raise(agent::ReceivedSignal signal) {
  raised_.push_back(signal);
  fibers_.wake(waiting_);
}

void AgentSignals::wake() const {
  woken_ = true;
  fibers_.wake(waiting_);
}

std::optional<agent::ReceivedSignal> AgentSignals::next(std::optional<Duration> until) const {
  waiting_ = fibers_.running();
  for (;;) {
    if (!raised_.empty()) {
      const auto signal = raised_.front();
      raised_.pop_front();
      return signal;
    }
    if (std::exchange(woken_, false) || fibers_.over() || (until && loop_.now() >= *until)) return std::nullopt;
    fibers_.park(until);
  }
}

std::optional<agent::ReceivedSignal> AgentSignals::wait(runtime::Instant until) const {
  return next(loop_.now() + std::chrono::ceil<Duration>(until - loop_.steady()));
}

std::optional<agent::ReceivedSignal> AgentSignals::wait_idle(runtime::Instant /*until*/) const {
  return next(std::nullopt);
}

runtime::WallTime AgentHost::AskedClock::wall() const {
  threads.acted();
  return loop.wall();
}

runtime::Instant AgentHost::AskedClock::steady() const {
  threads.acted();
  return loop.steady();
}

// The trainer, in a process group with its helpers.
class AgentHost::GangTrainer final : public agent::Trainer {
 public:
  explicit GangTrainer(AgentHost& host) : host_(host) {}
  [[nodiscard]] pid_t pid() const override { return kTrainerPid; }
  void send(int signal) const override { host_.signal_trainer(signal); }
  void send_group(int signal) const override {
    host_.signal_trainer(signal);
    if (signal == SIGTERM) host_.lose_helpers();
  }
  void reap() override { exit_code_ = host_.trainer_code_; }
  [[nodiscard]] std::optional<int> exit_code() const override { return exit_code_; }
  [[nodiscard]] bool group_gone() const override { return !host_.runs_; }
  [[nodiscard]] bool kill_all(std::chrono::milliseconds /*timeout*/,
                              const std::function<void(std::chrono::milliseconds)>& /*pause*/) override {
    host_.kill_trainer();
    reap();
    return true;
  }
  void give_terminal_back() const override {}

 private:
  AgentHost& host_;
  std::optional<int> exit_code_;
};

AgentHost::AgentHost(Cluster& cluster, Volumes& volumes, Gangs& gangs, Fibers& fibers, AgentThreads& threads,
                     TrainerPlace place)
    : cluster_(cluster),
      volumes_(volumes),
      gangs_(gangs),
      fibers_(fibers),
      threads_(threads),
      place_(std::move(place)),
      clock_(cluster.loop, threads),
      signals_(std::make_shared<AgentSignals>(cluster.loop, fibers)) {}

AgentHost::~AgentHost() {
  if (runs_) gang_->leave(place_.id.rank);
}

runtime::Result<std::unique_ptr<agent::Trainer>> AgentHost::start_trainer(const std::vector<std::string>& /*command*/,
                                                                          const std::string& checkpoint) {
  if (fibers_.over()) return std::unexpected(runtime::Error{});
  const int rank = place_.id.rank;
  std::optional<std::int64_t> step;
  if (const Disk* disk = volumes_.disk(place_.volume); disk != nullptr && !checkpoint.empty())
    step = disk->step_at(checkpoint);
  if (!checkpoint.empty() && !step) {  // the checkpoint that it was given is missing
    end_trainer(1);
    return std::make_unique<GangTrainer>(*this);
  }
  gang_ = gangs_.of(place_.id, place_.plan, place_.ranks);
  runs_ = true;
  const auto look = [this](auto...) {
    if (place_.leads) volumes_.changed(place_.volume);
    threads_.changed();
  };
  gang_->join(rank, Trainer{.id = place_.id,
                            .machine = place_.machine,
                            .volume = place_.volume,
                            .longest_hang = place_.longest_hang,
                            .loaded = step.value_or(-1),
                            .on_begun = [look] { look(); },
                            .on_saved = [look](std::int64_t) { look(); },
                            .on_exit = [this](int exit_code) { end_trainer(exit_code); }});
  if (cut_off_) gang_->cut_off(rank, true);
  return std::make_unique<GangTrainer>(*this);
}

void AgentHost::end_trainer(int exit_code) const {
  runs_ = false;
  trainer_code_ = exit_code;
  signals_->raise({.number = SIGCHLD});
}

void AgentHost::kill_trainer() const {
  if (!runs_) return;
  gang_->leave(place_.id.rank);
  end_trainer(kKilled);
}

pid_t AgentHost::pid() const {
  return kAgentPid;
}

// The processes as /proc would show them.
std::vector<agent::Process> AgentHost::processes() const {
  if (!runs_) return {};
  const bool ignores = place_.plan.on_term == OnTerm::Ignore;
  std::vector<agent::Process> all{{.pid = kTrainerPid,
                                   .parent = kAgentPid,
                                   .caught = (ignores ? 0 : mask_of(SIGTERM)) | mask_of(place_.notice_signal),
                                   .ignored = ignores ? mask_of(SIGTERM) : 0,
                                   .name = "python3"}};
  for (std::int64_t helper = 1; helper <= place_.plan.helpers; ++helper)
    all.push_back({.pid = static_cast<pid_t>(kTrainerPid + helper), .parent = kTrainerPid, .name = "python3"});
  return all;
}

bool AgentHost::is_running(pid_t pid) const {
  return runs_ && pid >= kTrainerPid && pid <= kTrainerPid + place_.plan.helpers;
}

bool AgentHost::send(pid_t pid, int signal) const {
  if (!is_running(pid)) return false;
  if (pid == kTrainerPid)
    signal_trainer(signal);
  else
    lose_helpers();
  return true;
}

std::optional<std::string> AgentHost::read_progress_file() {
  const auto step = runs_ ? gang_->told_step() : std::nullopt;
  if (!step || step == told_) return std::nullopt;
  told_ = step;
  return "{\"step\": " + std::to_string(*step) + "}";
}

void AgentHost::signal_trainer(int signal) const {
  if (!runs_ || fibers_.over()) return;
  if (signal == place_.notice_signal)
    request_checkpoint();
  else if (signal == SIGKILL)
    kill_trainer();
  else if (signal == SIGTERM)
    gang_->terminate(place_.id.rank);
}

void AgentHost::request_checkpoint() const {
  if (runs_) gang_->request_save(place_.id.rank);
}

void AgentHost::lose_helpers() const {
  if (!runs_ || fibers_.over() || place_.plan.helpers == 0 || !stop_requested_) return;
  gang_->lose_helpers(place_.id.rank, *stop_requested_ + place_.grace - cluster_.loop.now(), place_.grace);
}

void AgentHost::send_report(const std::string& json) {
  if (fibers_.over() || !cluster_.on_report) return;
  cluster_.on_report({place_.namespace_, place_.pod, place_.id.pod_uid}, json);
}

void AgentHost::write_termination_log(const std::string& /*path*/, const std::string& text) {
  message_ = text;
}

void AgentHost::say(std::string_view text) {
  cluster_.log.add("agent " + place_.id.pod_uid, std::string(text));
}

void AgentHost::terminate() {
  if (!stop_requested_) stop_requested_ = cluster_.loop.now();
  signals_->raise({.number = SIGTERM, .from_outside = true});
}

void AgentHost::pre_stop() {
  if (runs_) gang_->end_by_hook(place_.id.rank);
}

void AgentHost::stood_still(bool still) {
  if (runs_) gang_->stood_still(place_.id.rank, still);
}

void AgentHost::cut_off(bool cut) {
  cut_off_ = cut;
  if (runs_) gang_->cut_off(place_.id.rank, cut);
}

void AgentHost::looked() const {
  if (runs_) gang_->looked(place_.id.rank);
}

}  // namespace reprise::simulator
