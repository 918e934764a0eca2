#include "rehearsal/pods/container_plan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "protocol/agent_protocol.h"
#include "rehearsal/pods/pod_volumes.h"

namespace reprise::rehearsal {
namespace {

namespace fs = std::filesystem;
using simulator::array;
using simulator::text;
using simulator::Value;

constexpr std::string_view kMark = "REPRISE_REHEARSAL";
constexpr std::string_view kCoordinator = "REPRISE_COORDINATOR", kMaster = "PET_MASTER_ADDR",
                           kMasterPort = "PET_MASTER_PORT";

std::vector<std::string> words_of(const Value& container, const char* key) {
  std::vector<std::string> words;
  for (const Value& word : array(container, {key}))
    if (word.is_string()) words.emplace_back(word.get_string());
  return words;
}

// "0.5", as the agent reads it.
std::string seconds_text(double seconds) {
  std::string text = std::to_string(std::max(seconds, 0.01));
  return text.substr(0, text.find('.') + 4);
}

class Planner {
 public:
  Planner(const Value& pod, const Value& container, const LocalMachine& machine, const PodPlaces& places)
      : pod_(pod), container_(container), machine_(machine), places_(places) {}

  ContainerPlan run() {
    if (!read_command()) return std::move(plan_);
    const auto volumes = local_volumes(pod_, container_, places_, plan_);
    std::vector<std::string> missing;
    environment_ = container_environment(pod_, container_, machine_.environment, missing);
    for (const std::string& name : missing)
      plan_.notes.push_back("environment variable " + name + " is not set: it comes from a ConfigMap or Secret");
    place(volumes);
    meet_on_this_machine();
    scale_times();
    write_files();
    finish(volumes);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] bool prepares() const {
    return text(container_, {"restartPolicy"}) != "Always" &&
           std::ranges::any_of(array(pod_, {"spec", "initContainers"}),
                               [&](const Value& each) { return text(each, {"name"}) == text(container_, {"name"}); });
  }

  // False: the container has nothing to run.
  bool read_command() {
    words_ = words_of(container_, "command");
    plan_.prepares = prepares();
    if (words_.empty() && plan_.prepares) {
      plan_.kind = ContainerPlan::Kind::Nothing;
      plan_.notes.push_back("initContainer " + std::string(text(container_, {"name"})) +
                            " is not run: its command is in its image; what it prepares for the trainer is not there");
      return false;
    }
    if (words_.empty()) {
      plan_.kind = ContainerPlan::Kind::Pause;
      plan_.notes.push_back("container " + std::string(text(container_, {"name"})) +
                            " is not run: its command is in its image");
      return false;
    }
    const bool agent = words_[0].ends_with("/reprise-agent");
    if (agent && words_.size() > 1 && words_[1] == "install") plan_.kind = ContainerPlan::Kind::Nothing;
    if (agent && words_.size() > 1 && words_[1] == "pause") plan_.kind = ContainerPlan::Kind::Pause;
    if (plan_.kind != ContainerPlan::Kind::Run) return false;
    if (agent) words_[0] = machine_.agent.string();
    const auto args = words_of(container_, "args");
    words_.insert(words_.end(), args.begin(), args.end());
    return true;
  }

  // Points the operator's variables to the real places of the volumes where mounts are not allowed.
  void place(const std::vector<LocalVolume>& volumes) {
    for (const LocalVolume& each : volumes) {
      if (each.leave || each.source == each.at) continue;
      if (machine_.mounts) {
        plan_.command.mounts.push_back({.source = each.source, .at = each.at, .read_only = each.read_only});
        continue;
      }
      for (const auto name : {protocol::kCheckpointDir, protocol::kAnnotationsFile, protocol::kNoticeFile})
        move_variable(name, each);
    }
  }

  void move_variable(std::string_view name, const LocalVolume& volume) {
    const std::string* value = value_of(environment_, name);
    if (value == nullptr) return;
    std::string at = volume.at.string();
    while (at.size() > 1 && at.ends_with('/')) at.pop_back();
    std::string path = *value;
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (path != at && !path.starts_with(at + "/")) return;
    set_variable(environment_, name, volume.source.string() + path.substr(at.size()));
    moved_.emplace_back(name);
  }

  // Lets the ranks meet on this machine: all of them run here, and no name of the cluster resolves.
  void meet_on_this_machine() {
    const std::string* found = value_of(environment_, kMaster);
    if (found == nullptr || !found->ends_with(".svc") || places_.coordinator_port == 0) return;
    const std::string host = *found;
    const std::string port = std::to_string(places_.coordinator_port);
    const std::string* old = value_of(environment_, kMasterPort);
    const std::string old_port = old == nullptr ? "" : *old;
    for (auto& [name, value] : environment_) {
      replace_all(value, host + ":" + old_port, "127.0.0.1:" + port);
      replace_all(value, host, "127.0.0.1");
    }
    set_variable(environment_, kMasterPort, port);
    set_variable(environment_, kCoordinator, "127.0.0.1:" + port);
  }

  static void replace_all(std::string& value, const std::string& from, const std::string& to) {
    for (auto at = value.find(from); at != std::string::npos; at = value.find(from, at + to.size()))
      value.replace(at, from.size(), to);
  }

  void scale(std::string_view name, double otherwise) {
    const std::string* value = value_of(environment_, name);
    const double cluster = value == nullptr ? otherwise : std::strtod(value->c_str(), nullptr);
    if (cluster > 0) set_variable(environment_, name, seconds_text(cluster / machine_.speed));
  }

  void scale_times() {
    if (value_of(environment_, protocol::kJobUid) == nullptr) return;
    // Does not scale the grace: while a trainer saves, time goes as on a node in the cloud. The agent's own periods are
    // scaled from its defaults where nothing is set.
    scale(protocol::kHeartbeatSeconds, 5);
    scale(protocol::kWatchSeconds, 1);
    scale(protocol::kResumeWaitSeconds, 1800);
    // Trainers read whole seconds.
    if (const std::string* value = value_of(environment_, protocol::kPeriod)) {
      const double period = std::strtod(value->c_str(), nullptr) / machine_.speed;
      set_variable(environment_, protocol::kPeriod,
                   std::to_string(static_cast<long long>(std::max(1.0, std::round(period)))));
    }
  }

  void write_files() {
    const fs::path& own = places_.directory;
    const std::string name(text(container_, {"name"}));
    plan_.termination_log = own / (name + ".termination");
    plan_.command.output = own / (name + ".log");
    plan_.command.scratch = own / "root";
    plan_.files.emplace_back(plan_.termination_log, "");
    plan_.directories.push_back(own / "tmp");
    plan_.directories.push_back(plan_.command.scratch);
    // A notice file outside of every volume is in the container's own file system.
    const std::string* notice = value_of(environment_, protocol::kNoticeFile);
    const bool moved = std::ranges::find(moved_, protocol::kNoticeFile) != moved_.end();
    if (notice == nullptr || moved || on_a_mount(*notice)) return;
    plan_.directories.push_back(own / "notice");
    set_variable(environment_, protocol::kNoticeFile, (own / "notice" / fs::path(*notice).filename()).string());
  }

  [[nodiscard]] bool on_a_mount(const std::string& path) const {
    return std::ranges::any_of(plan_.command.mounts,
                               [&](const Mount& each) { return path.starts_with(each.at.string() + "/"); });
  }

  void finish(const std::vector<LocalVolume>&) {
    ContainerCommand& command = plan_.command;
    Variables& all = command.environment;
    for (const auto& [name, value] : machine_.environment)
      if (!name.starts_with("REPRISE_") && !name.starts_with("PET_")) set_variable(all, name, value);
    set_variable(all, "TMPDIR", (places_.directory / "tmp").string());
    for (const auto& [name, value] : environment_) set_variable(all, name, value);
    set_variable(all, protocol::kTerminationLog, plan_.termination_log.string());
    set_variable(all, kMark, machine_.mark);
    for (const std::string& word : words_) command.words.push_back(expanded(word, environment_));
    const std::string_view wanted = text(container_, {"workingDir"});
    command.directory = wanted.empty() ? machine_.directory : fs::path(std::string(wanted));
  }

  const Value& pod_;
  const Value& container_;
  const LocalMachine& machine_;
  const PodPlaces& places_;
  ContainerPlan plan_;
  std::vector<std::string> words_, moved_;
  Variables environment_;
};

}  // namespace

ContainerPlan plan_container(const Value& pod, const Value& container, const LocalMachine& machine,
                             const PodPlaces& places) {
  return Planner(pod, container, machine, places).run();
}

}  // namespace reprise::rehearsal
