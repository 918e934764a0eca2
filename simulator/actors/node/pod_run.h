// The real state of one pod on one machine, whatever the API server shows.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "simulator/actors/node/program.h"
#include "simulator/actors/storage/volumes.h"
#include "simulator/actors/support/pod_writes.h"
#include "simulator/actors/support/wake.h"

namespace reprise::simulator {

enum class RunState { Waiting, Running, Terminated };

struct ContainerRun {
  std::string name;
  bool init = false, sidecar = false;
  RunState state = RunState::Waiting;
  int exit_code = 0;
  std::string reason = {}, message = {};
  Duration started{0}, finished{0};
  Duration ready_from{0};  // its probes hold it back until then
  std::unique_ptr<Program> program = nullptr;
};

class PodRun {
 public:
  // `images`, `standstill`: the machine's; an image that it has is not pulled again. `on_change`: runs when there is
  // something to report; from the loop only.
  PodRun(const World& world, Volumes& volumes, Programs& programs, std::string machine, std::set<std::string>& images,
         Standstill& standstill, ObjectPtr pod, std::function<void()> on_change);
  ~PodRun();

  // An image of some GB from a registry nearby; runtime and network of a sandbox; the start of one container.
  static constexpr Duration kPull{20'000}, kSandbox{500}, kStart{300};
  // A preStop hook asks the trainer to save and end, and waits for that at most so long.
  static constexpr Duration kPreStop{30'000};

  // True when its probes succeed, too.
  [[nodiscard]] bool ready(const ContainerRun& container) const;
  // Runs the preStop hooks, sends SIGTERM to all whose hook has ended, and SIGKILL after the grace. Again with less:
  // SIGKILL comes earlier.
  void stop(Duration grace);
  [[nodiscard]] bool stopping() const { return stopping_; }
  // True when nothing runs any more, and nothing will.
  [[nodiscard]] bool ended() const;
  [[nodiscard]] const std::vector<ContainerRun>& containers() const { return containers_; }
  [[nodiscard]] const ObjectPtr& pod() const { return pod_; }
  void pod_changed(ObjectPtr pod);
  // Ends the processes; volumes stay attached for the control plane.
  void lose_power();
  // The machine stands still, or goes on.
  void stood_still(bool still);
  [[nodiscard]] Duration begun() const { return begun_; }

 private:
  void mount();
  void pull();
  void advance();
  void start(std::size_t index);
  void container_ended(std::size_t index, ProgramEnd end);
  void probe(std::size_t index);
  void end_unhealthy(std::size_t index);
  void end_with_hook(ContainerRun& container);
  void kill();
  [[nodiscard]] const Value& spec_of(const ContainerRun& container) const;
  void terminated(ContainerRun& container, int exit_code, std::string reason, std::string message);

  World world_;
  Volumes& volumes_;
  Programs& programs_;
  std::string machine_;
  std::set<std::string>& images_;
  Standstill& standstill_;
  ObjectPtr pod_;
  std::string uid_;
  std::function<void()> on_change_;
  std::vector<ContainerRun> containers_;  // init containers first
  std::size_t awaited_volumes_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // machines lose power while volumes are on their way
  bool stopping_ = false, starting_ = false, gave_up_ = false, keeps_volumes_ = false;
  Duration begun_{0};
  Timers timers_;
  Wake kill_;
};

}  // namespace reprise::simulator
