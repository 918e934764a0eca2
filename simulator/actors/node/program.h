// What runs in a container. Owned by the machine it runs on: destroying a program is its SIGKILL, or the loss of power;
// nothing of it happens afterwards.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "simulator/json.h"

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
  // The pod's annotations have changed, and the downward API shows it.
  virtual void annotations_changed(const Value&) {}
};

struct ProgramPlace {
  const Value& pod;        // as it is now
  const Value& container;  // of its spec
  std::string machine;
  // Called once, never inside start or terminate. The program may be destroyed in it.
  std::function<void(ProgramEnd)> on_end;
};

class Programs {
 public:
  virtual ~Programs() = default;
  [[nodiscard]] virtual std::unique_ptr<Program> start(ProgramPlace place) = 0;
};

}  // namespace reprise::simulator
