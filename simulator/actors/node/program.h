// A program in a container. Owned by the machine it runs on: destroying it is its SIGKILL, or the loss of power; it has
// no effect afterwards.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "simulator/actors/support/standstill.h"
#include "simulator/base/json.h"

namespace reprise::simulator {

struct ProgramEnd {
  int exit_code = 0;
  std::string message = {};  // the container's termination message
};

class Program {
 public:
  virtual ~Program() = default;
  // SIGTERM.
  virtual void terminate() = 0;
  // The container's preStop hook has begun: the kubelet sends SIGTERM when it has ended.
  virtual void pre_stop() {}
  // The pod's annotations have changed, and the downward API shows it.
  virtual void annotations_changed(const Value&) {}
  // The machine stands still, or goes on; told when it has. Work planned with its Standstill waits by itself.
  virtual void stood_still(bool /*still*/) {}
};

struct ProgramPlace {
  const Value& pod;        // as it is now
  const Value& container;  // from the pod's spec
  std::string machine;
  // Called once, never inside start or terminate. The program may be destroyed in it.
  std::function<void(ProgramEnd)> on_end;
  Standstill* standstill = nullptr;  // the machine's; outlives the program
};

class Programs {
 public:
  virtual ~Programs() = default;
  [[nodiscard]] virtual std::unique_ptr<Program> start(ProgramPlace place) = 0;
};

}  // namespace reprise::simulator
