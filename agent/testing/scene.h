// One job on one volume, as the operator would start its ranks: the agent and the example trainer as real processes
// with short periods.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/record/record.h"
#include "agent/testing/process.h"
#include "agent/testing/temporary_directory.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent::testing_support {

struct Rank {
  int attempt = 1;
  int index = 0;
  Variables variables{};  // beyond, or instead of, the usual ones
  std::filesystem::path input{};
  std::filesystem::path directory{};
};

class Scene {
 public:
  Scene();

  [[nodiscard]] std::filesystem::path volume() const { return directory_.path() / "volume"; }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return directory_.path() / name; }
  [[nodiscard]] VolumeLayout layout() const { return {.root = volume()}; }

  // `reprise-agent run -- command` as that rank.
  [[nodiscard]] Process run(const Rank& rank, const std::vector<std::string>& command) const;
  // The example trainer's command line.
  [[nodiscard]] std::vector<std::string> trainer(int steps, int save_every, int step_milliseconds,
                                                 std::vector<std::string> more = {}) const;

  [[nodiscard]] Variables variables(const Rank& rank) const;
  // On the volume; nothing when there is none or it is none.
  [[nodiscard]] std::optional<Record> record(int attempt, int index = 0) const;
  // In the rank's termination log.
  [[nodiscard]] std::optional<Record> termination(int attempt, int index = 0) const;
  [[nodiscard]] std::filesystem::path termination_log(int attempt, int index) const;
  // The output of the agent and the trainer.
  [[nodiscard]] std::string output(int attempt, int index = 0) const;
  [[nodiscard]] std::string weights() const { return text_in(volume() / "final" / "weights.txt"); }
  // Complete checkpoints on the volume, by name.
  [[nodiscard]] std::vector<std::string> checkpoints() const;
  [[nodiscard]] bool wait_for_checkpoint() const;
  [[nodiscard]] bool wait_for_text(int attempt, const std::string& text) const;

 private:
  TemporaryDirectory directory_;
};

[[nodiscard]] std::string agent_binary();
// Words that run a command on a machine whose clock has gone on for a day while it was suspended.
[[nodiscard]] std::vector<std::string> after_a_suspension(const std::vector<std::string>& command);
// Words that run a command as PID 1 of its own PID namespace, as root and as anybody else.
[[nodiscard]] std::vector<std::string> as_pid_1(const std::vector<std::string>& command);

}  // namespace reprise::agent::testing_support
