// Who is left when the process that the agent started has ended with 0, and whether they train on: by evidence,
// whatever started them and whatever their variables say (docs/decisions/stops/0131-left-behind.md). Nobody left is the
// end at once.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/run/host.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// Who stands beside or below those that train, for longer than a rank needs to start: services, loaders' workers.
class Bystanders {
 public:
  // `ranks`: those that train by evidence (ranks_by_burn.h).
  void note(const std::vector<Process>& processes, const std::vector<pid_t>& ranks, runtime::Instant now);
  [[nodiscard]] bool has(const Process& process) const;

 private:
  using Identity = std::pair<pid_t, std::uint64_t>;
  struct Seen {
    runtime::Instant since, until;
  };
  std::map<Identity, Seen> seen_;
  std::set<Identity> ranks_;  // at the last look, without those that stood beside others before
};

// One attempt's. One thread's; the host and the trainer outlive it.
class LeftBehind {
 public:
  // `directory`: the volume's.
  LeftBehind(const Host& host, Trainer& trainer, std::string directory)
      : host_(host), trainer_(trainer), directory_(std::move(directory)) {}

  // At each look while the process that the agent started runs.
  void note(const std::vector<Process>& processes, const std::vector<pid_t>& ranks);
  // Once it has ended with 0. False: nobody who may train is left.
  [[nodiscard]] bool begin();
  // At each look from then on; `moves` changes with each step and checkpoint that is known.
  void look(const std::vector<Process>& processes, const std::string& moves);
  // False at their ends, when one has failed, and when none has worked for long enough.
  [[nodiscard]] bool trains();
  // Somebody of them has worked.
  [[nodiscard]] bool worked() const { return worked_; }
  // The ends that count: of those that have worked, and of the shells above them.
  [[nodiscard]] std::vector<std::optional<int>> exit_codes() const;

 private:
  struct Left {
    bool service = false;
    bool was_there_at_an_end = false;  // when one of the others that trained had ended with 0
    std::chrono::milliseconds cpu{};   // when it was seen first
    std::optional<std::uint64_t> written{};
  };
  struct Rank {
    std::uint64_t command = 0;
    bool below_launcher = false;
  };

  void add(const Process& process, bool service);
  [[nodiscard]] bool is_meant_to_be_left(const Process& rank) const;
  [[nodiscard]] bool may_be_meant_to_be_left(const Process& rank) const;
  [[nodiscard]] bool writes(pid_t pid, Left& left) const;
  void note_end();
  void note_worker(pid_t pid, const std::vector<Process>& processes);
  void follow();
  [[nodiscard]] bool runs(bool service) const;

  const Host& host_;
  Trainer& trainer_;
  std::string directory_;
  Bystanders bystanders_;
  std::map<pid_t, Rank> ranks_;  // at the last look while the launcher ran
  std::map<pid_t, Left> left_;
  std::map<pid_t, pid_t> workers_;  // and whose code is theirs
  std::set<pid_t> done_;            // those of them whose end with 0 was seen
  runtime::Instant began_{}, at_work_{}, service_wrote_ = runtime::Instant::min();
  bool worked_ = false, may_wait_ = false;
  std::string moves_;
};

}  // namespace reprise::agent
