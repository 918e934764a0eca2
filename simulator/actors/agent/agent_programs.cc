#include "simulator/actors/agent/agent_programs.h"

#include <charconv>
#include <utility>

#include "protocol/agent_protocol.h"
#include "simulator/actors/agent/agent_process.h"
#include "simulator/volumes/files_beside.h"

namespace reprise::simulator {
namespace {

constexpr Duration kExec{100};  // to be executed and to end
constexpr Duration kOnTerm{100};

// Ends after a while, or on SIGTERM.
class PlainProgram final : public Program {
 public:
  PlainProgram(EventLoop& loop, const ProgramPlace& place, int term_code)
      : on_end_(place.on_end), term_code_(term_code), timers_(loop, place.standstill) {}
  void end_after(Duration delay, int exit_code) {
    timers_.after(delay, [tell = on_end_, exit_code] { tell({.exit_code = exit_code}); });
  }
  void terminate() override {
    if (std::exchange(asked_, true)) return;
    timers_.cancel_all();
    end_after(kOnTerm, term_code_);
  }

 private:
  std::function<void(ProgramEnd)> on_end_;
  int term_code_;
  bool asked_ = false;
  Timers timers_;
};

std::string_view argument(const Value& container, std::size_t index) {
  const auto& command = array(container, {"command"});
  return index < command.size() && command[index].is_string() ? std::string_view(command[index].get_string())
                                                              : std::string_view{};
}

std::string_view annotation(const Value& pod, std::string_view key) {
  return text(pod, {"metadata", "annotations", key});
}

std::optional<std::string> variable(const Value& pod, const Value& container, std::string_view name) {
  for (const Value& each : array(container, {"env"})) {
    if (text(each, {"name"}) != name) continue;
    if (text(each, {"valueFrom", "fieldRef", "fieldPath"}) == "metadata.uid") return std::string(uid_of(pod));
    return std::string(text(each, {"value"}));
  }
  return std::nullopt;
}

// The claim of the volume that is mounted at the checkpoint directory.
std::string_view claim_at(const Value& pod, const Value& container, std::string_view path) {
  for (const Value& mount : array(container, {"volumeMounts"})) {
    if (text(mount, {"mountPath"}) != path) continue;
    for (const Value& volume : array(pod, {"spec", "volumes"}))
      if (text(volume, {"name"}) == text(mount, {"name"})) return text(volume, {"persistentVolumeClaim", "claimName"});
  }
  return {};
}

void put_beside(Disk& disk, bool format_is_named) {
  disk.beside = files_beside(format_is_named);
  for (const auto& file : disk.beside) disk.touch_folders(file.first, Duration{0});
}

void put_former_runs(Disk& disk, std::int64_t count) {
  disk.beside.merge(former_runs(count));
  for (const auto& file : disk.beside) disk.touch_folders(file.first, Duration{0});
}

}  // namespace

std::unique_ptr<Program> AgentPrograms::start(ProgramPlace place) {
  EventLoop& loop = world_.cluster.loop;
  const bool is_agent = argument(place.container, 0).ends_with("reprise-agent");
  if (is_agent && argument(place.container, 1) == "run") return start_agent(std::move(place), AgentCommand::Run);
  if (is_agent && argument(place.container, 1) == "list-checkpoints")
    return start_agent(std::move(place), AgentCommand::ListCheckpoints);
  const bool pauses = is_agent && argument(place.container, 1) == "pause";
  auto program = std::make_unique<PlainProgram>(loop, place, pauses ? 0 : 143);
  if (is_agent && argument(place.container, 1) == "install")
    program->end_after(kExec, std::exchange(install_fails_, false) ? 1 : 0);
  if (const auto runs = annotation(place.pod, "simulate.reprise.dev/run-milliseconds"); !is_agent && !runs.empty()) {
    std::int64_t milliseconds = 0;
    std::from_chars(runs.data(), runs.data() + runs.size(), milliseconds);
    int code = 0;
    const auto exit_code = annotation(place.pod, "simulate.reprise.dev/exit-code");
    std::from_chars(exit_code.data(), exit_code.data() + exit_code.size(), code);
    program->end_after(Duration(milliseconds), code);
  }
  return program;
}

std::unique_ptr<Program> AgentPrograms::start_agent(ProgramPlace place, AgentCommand command) {
  auto env = agent::read_environment([&](std::string_view name) { return variable(place.pod, place.container, name); });
  const auto failed = [&](const std::string& why) {
    world_.cluster.log.add("agent " + std::string(uid_of(place.pod)), "cannot start: " + why);
    auto program = std::make_unique<PlainProgram>(world_.cluster.loop, place, 143);
    program->end_after(kExec, protocol::kUsageExitCode);
    return program;
  };
  if (!env) return failed(env.error().message);
  const std::string_view claim_name = claim_at(place.pod, place.container, env->checkpoint_dir);
  const ObjectPtr claim = world_.cluster.api.get({world_.kinds.claims, namespace_of(place.pod), claim_name});
  if (!claim) return failed("no claim is mounted at " + env->checkpoint_dir);
  const std::string volume(text(*claim, {"spec", "volumeName"}));
  const int volumes = env->access == agent::VolumeAccess::PerIndex ? env->parallelism : 1;
  if (Disk* disk = volumes_.disk(volume)) disk->gang_volumes = volumes;
  const bool has_data = annotation(place.pod, "simulate.reprise.dev/data") == "true";
  if (Disk* disk = volumes_.disk(volume); has_data && disk != nullptr && disk->attempts.empty())
    for (const char* directory : {"imagenet-2012", "shards-12"}) disk->data.try_emplace(directory, Duration{0});
  // The modelled trainers write markers: a checkpoint without one is torn. A job that names Marker where others have
  // put directories with a marker resumes from these.
  const auto plan_of_library = annotation(place.pod, "simulate.reprise.dev/library");
  const bool crowded = !annotation(place.pod, "simulate.reprise.dev/former-runs").empty();
  if (!has_data && plan_of_library.empty() && !crowded) env->format = "Marker";
  const bool beside = annotation(place.pod, "simulate.reprise.dev/files-beside") == "true";
  if (Disk* disk = volumes_.disk(volume); beside && disk != nullptr && disk->attempts.empty())
    put_beside(*disk, env->format != "Auto");
  const auto period = variable(place.pod, place.container, protocol::kPeriod);
  std::int64_t seconds = 600;
  if (period) std::from_chars(period->data(), period->data() + period->size(), seconds);
  TrainingPlan plan = read_training_plan(place.pod, seconds);
  if (Disk* disk = volumes_.disk(volume); plan.former_runs > 0 && disk != nullptr && disk->attempts.empty())
    put_former_runs(*disk, plan.former_runs);
  return std::make_unique<AgentProcess>(world_.cluster, volumes_, gangs_,
                                        AgentSetting{.env = *env,
                                                     .namespace_ = std::string(namespace_of(place.pod)),
                                                     .pod = std::string(name_of(place.pod)),
                                                     .volume = volume,
                                                     .machine = place.machine,
                                                     .plan = std::move(plan),
                                                     .annotations = annotations_file(place.pod),
                                                     .standstill = place.standstill,
                                                     .command = command},
                                        std::move(place.on_end));
}

}  // namespace reprise::simulator
