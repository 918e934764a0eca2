#include "rehearsal/trainers/local_programs.h"

#include <charconv>
#include <csignal>
#include <fstream>
#include <iterator>
#include <utility>

#include "protocol/agent_protocol.h"
#include "protocol/environment.h"
#include "rehearsal/trainers/signals_of.h"
#include "rehearsal/trainers/told_apart.h"
#include "runtime/base/files/file_text.h"

namespace reprise::rehearsal {
namespace {

namespace fs = std::filesystem;
using runtime::Duration;
using simulator::EventLoop;
using simulator::name_of;
using simulator::Program;
using simulator::ProgramEnd;

// The exit codes of shells and kubelets.
constexpr int kNotFound = 127, kCannotStart = 128;

std::string text_in(const fs::path& file, std::size_t most) {
  std::string text = runtime::file_text(file).value_or("");
  text.resize(std::min(text.size(), most));
  return text;
}

// Readers see the old text or the new one.
void replace_text(const fs::path& file, std::string_view text) {
  fs::path fresh = file;
  fresh += ".new";
  std::ofstream(fresh, std::ios::binary) << text;
  std::error_code ignored;
  fs::rename(fresh, file, ignored);
}

void prepare(const ContainerPlan& plan) {
  std::error_code ignored;
  for (const fs::path& each : plan.directories) fs::create_directories(each, ignored);
  for (const auto& [file, text] : plan.files) {
    fs::create_directories(file.parent_path(), ignored);
    std::ofstream(file, std::ios::binary) << text;
  }
}

agent::Record not_started(const runtime::Error& error) {
  agent::Record record;
  record.reason = protocol::kReasonCannotStart;
  record.message = error.message;
  return record;
}

int signal_named(const std::string* name) {
  if (name == nullptr) return 0;
  if (*name == "SIGUSR1") return SIGUSR1;
  if (*name == "SIGUSR2") return SIGUSR2;
  if (*name == "SIGHUP") return SIGHUP;
  if (*name == "SIGINT") return SIGINT;
  return 0;
}

}  // namespace

// Ends when it is asked to, or at once.
class WaitingProgram final : public Program {
 public:
  WaitingProgram(EventLoop& loop, std::function<void(ProgramEnd)> on_end) : loop_(loop), on_end_(std::move(on_end)) {}
  ~WaitingProgram() override { loop_.cancel(ticket_); }
  WaitingProgram(const WaitingProgram&) = delete;
  WaitingProgram& operator=(const WaitingProgram&) = delete;

  void terminate() override { end({}); }
  void end(ProgramEnd with) {
    if (std::exchange(ends_, true)) return;
    ticket_ = loop_.after(Duration{0}, [this, with = std::move(with)] {
      const auto on_end = std::move(on_end_);
      on_end(with);
    });
  }

 private:
  EventLoop& loop_;
  std::function<void(ProgramEnd)> on_end_;
  EventLoop::Ticket ticket_ = 0;
  bool ends_ = false;
};

// An initContainer and the trainer that waits for it.
struct Preparation {
  TrainerKey trainer;
  std::string container;
};

class LocalProgram final : public Program {
 public:
  LocalProgram(LocalPrograms& programs, ContainerPlan plan, ContainerProcess process, std::optional<TrainerKey> trainer,
               std::optional<Preparation> preparation, std::function<void(ProgramEnd)> on_end)
      : programs_(programs),
        plan_(std::move(plan)),
        process_(std::move(process)),
        trainer_(std::move(trainer)),
        preparation_(std::move(preparation)),
        on_end_(std::move(on_end)) {
    programs_.running_.insert(&process_);
    if (trainer_)
      programs_.recorder_.began(*trainer_, plan_.command.output,
                                [pid = process_.pid()] { return disposition_below(pid, SIGTERM); });
    programs_.time_.watch(process_.descriptor(), [this] { finish(); });
  }

  // Sends SIGKILL: the kubelet kills it, or the node is gone.
  ~LocalProgram() override {
    programs_.cluster_.loop.cancel(tells_);
    programs_.time_.forget(process_.descriptor());
    programs_.running_.erase(&process_);
    if (!process_.ended()) {
      process_.kill_and_wait();
      if (preparation_) programs_.recorder_.forget_preparation(preparation_->trainer, preparation_->container);
      report({.exit_code = 137, .killed = true, .vanished = !terminated_, .left_behind = 0, .record = record()});
    }
  }
  LocalProgram(const LocalProgram&) = delete;
  LocalProgram& operator=(const LocalProgram&) = delete;

  void terminate() override {
    const Duration after = trainer_ ? told_after(ranks(), programs_.apart_) : Duration{0};
    if (after == Duration{0}) return tell();
    tells_ = programs_.cluster_.loop.after(after, [this] { tell(); });
  }

  void annotations_changed(const simulator::Value& pod) override {
    if (plan_.annotations_file.empty()) return;
    replace_text(plan_.annotations_file, pod_field(pod, "metadata.annotations"));
  }

 private:
  void tell() {
    tells_ = 0;
    if (trainer_) {
      const int notice = signal_named(value_of(plan_.command.environment, protocol::kNoticeSignal));
      programs_.recorder_.asked(*trainer_, disposition_below(process_.pid(), SIGTERM),
                                notice == 0 ? Disposition::Unknown : disposition_below(process_.pid(), notice));
    }
    if (preparation_) programs_.recorder_.forget_preparation(preparation_->trainer, preparation_->container);
    terminated_ = true;
    process_.send(SIGTERM);
  }

  [[nodiscard]] std::int64_t ranks() const {
    const std::string* const text = value_of(plan_.command.environment, protocol::kParallelism);
    std::int64_t ranks = 1;
    if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), ranks);
    return ranks;
  }

  [[nodiscard]] std::optional<agent::Record> record() const {
    return agent::decode_record(text_in(plan_.termination_log, protocol::kMaxRecordBytes));
  }

  void report(const TrainerEnd& end) {
    if (trainer_) programs_.recorder_.ended(*trainer_, end);
  }

  void finish() {
    const auto end = process_.ended();
    if (!end) return;
    programs_.cluster_.loop.cancel(tells_);
    programs_.running_.erase(&process_);
    if (preparation_) programs_.recorder_.prepared(preparation_->trainer, preparation_->container, end->exit_code);
    auto written = record();
    report({.exit_code = end->exit_code, .left_behind = end->left_behind, .record = written});
    std::string message = text_in(plan_.termination_log, protocol::kMaxRecordBytes);
    if (written && written->checkpoint_time) {
      // The agent writes the machine's time, the operator reads the cluster's.
      const auto at = programs_.time_.cluster_time(*written->checkpoint_time) - programs_.cluster_.loop.now();
      written->checkpoint_time = programs_.cluster_.loop.wall() + std::min(at, Duration{0});
      message = agent::encode_record(*std::move(written));
    }
    const auto on_end = std::move(on_end_);
    on_end({.exit_code = end->exit_code, .message = std::move(message)});
  }

  LocalPrograms& programs_;
  ContainerPlan plan_;
  ContainerProcess process_;
  std::optional<TrainerKey> trainer_;
  std::optional<Preparation> preparation_;
  std::function<void(ProgramEnd)> on_end_;
  EventLoop::Ticket tells_ = 0;
  bool terminated_ = false;
};

LocalPrograms::LocalPrograms(simulator::Cluster& cluster, RealTime& time, const ClaimDirectories& claims,
                             Recorder& recorder, Setting setting)
    : cluster_(cluster),
      time_(time),
      claims_(claims),
      recorder_(recorder),
      setting_(std::move(setting)),
      apart_(setting_.seed) {}

std::vector<const ContainerProcess*> LocalPrograms::running() const {
  return {running_.begin(), running_.end()};
}

// True for the training container alone, which has the agent; other containers of the pod are no trainers.
bool LocalPrograms::is_trainer(const ContainerPlan& plan) const {
  const auto& words = plan.command.words;
  return words[0] == setting_.machine.agent.string() && words.size() > 1 && words[1] == "run";
}

std::unique_ptr<Program> LocalPrograms::start(simulator::ProgramPlace place) {
  const std::string namespace_(simulator::namespace_of(place.pod));
  auto trainer = trainer_of(place.pod);
  PodPlaces places{.directory = setting_.directory / namespace_ / std::string(name_of(place.pod)),
                   .claim = [&](const std::string& claim) { return claims_.of(namespace_, claim); }};
  if (trainer) places.coordinator_port = ports_.of(trainer->job + "/" + std::to_string(trainer->attempt));
  ContainerPlan plan = plan_container(place.pod, place.container, setting_.machine, places);
  notes_.insert(plan.notes.begin(), plan.notes.end());
  if (plan.kind != ContainerPlan::Kind::Run) {
    auto program = std::make_unique<WaitingProgram>(cluster_.loop, std::move(place.on_end));
    if (plan.kind == ContainerPlan::Kind::Nothing) program->end({});
    return program;
  }
  prepare(plan);
  std::optional<Preparation> preparation;
  if (trainer && plan.prepares) {
    preparation =
        Preparation{.trainer = *trainer, .container = std::string(simulator::text(place.container, {"name"}))};
    recorder_.prepares(*trainer, preparation->container, plan.command.output);
  }
  auto process = ContainerProcess::start(plan.command, setting_.isolation);
  if (!process) {
    cluster_.log.add("trainers", std::string(name_of(place.pod)) + " could not be started: " + process.error().message);
    notes_.insert(process.error().message);
    const bool missing = process.error().error_class == runtime::ErrorClass::NotFound;
    const int exit_code = missing ? kNotFound : kCannotStart;
    if (preparation)
      recorder_.prepared(preparation->trainer, preparation->container, exit_code, process.error().message);
    if (trainer && is_trainer(plan)) {
      recorder_.began(*trainer, plan.command.output);
      recorder_.ended(*trainer, {.exit_code = exit_code, .record = not_started(process.error())});
    }
    auto program = std::make_unique<WaitingProgram>(cluster_.loop, std::move(place.on_end));
    program->end({.exit_code = exit_code, .message = process.error().message});
    return program;
  }
  if (!is_trainer(plan)) trainer.reset();
  return std::make_unique<LocalProgram>(*this, std::move(plan), *std::move(process), std::move(trainer),
                                        std::move(preparation), std::move(place.on_end));
}

}  // namespace reprise::rehearsal
