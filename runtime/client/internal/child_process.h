// Runs a command to its end, within bounds.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::runtime {

struct ChildCommand {
  std::vector<std::string> arguments;  // the command first; without a slash it is looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment = {};  // over this process's own
  Duration timeout{30'000};
  std::size_t output_limit = 1U << 20U;
};

struct ChildOutput {
  int exit_code = 0;  // 128 + N when signal N ended it
  std::string standard_output, standard_error;
};

// Ends children from another thread, for good.
class ChildStop {
 public:
  ChildStop();
  ~ChildStop();
  ChildStop(const ChildStop&) = delete;
  ChildStop& operator=(const ChildStop&) = delete;
  void stop() const;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// Blocks. The child has a process group of its own, nothing to read, no signals blocked and none of our descriptors;
// the whole group is killed when it takes too long, prints too much or is stopped, and so are the processes left in it
// at the child's end. NotFound when there is no such command, Cancelled when stopped, Unavailable otherwise. Any exit
// code is an answer.
[[nodiscard]] Result<ChildOutput> run_child(const ChildCommand& command, const ChildStop& stop);

}  // namespace reprise::runtime
