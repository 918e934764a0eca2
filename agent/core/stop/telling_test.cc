// Who is signalled in which order, and that nobody begins to train anew, on a machine of values.
#include "agent/core/stop/telling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <utility>

namespace reprise::agent {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kSigterm = std::uint64_t{1} << (SIGTERM - 1);
const Process kLoopOfAll{.pid = 2, .parent = 1, .name = "sh", .command = 10, .started = 1};
const Process kLaunch{.pid = 3, .parent = 2, .name = "launch", .command = 11, .started = 2};
const Process kFirstRank{.pid = 4, .parent = 3, .caught = kSigterm, .name = "python3", .command = 20, .started = 3};
const Process kSecondRank{.pid = 5, .parent = 3, .caught = kSigterm, .name = "python3", .command = 20, .started = 3};

using Sent = std::pair<pid_t, int>;

// What the processes are, and what they were sent.
struct Machine {
  std::vector<Process> tree;
  std::vector<Sent> sent;

  void end(pid_t pid) {
    std::erase_if(tree, [&](const Process& each) { return each.pid == pid; });
  }
  std::vector<Sent> take() { return std::exchange(sent, {}); }
};

class StandingClock final : public runtime::Clock {
 public:
  [[nodiscard]] runtime::WallTime wall() const override { return {}; }
  [[nodiscard]] runtime::Instant steady() const override { return runtime::Instant(std::chrono::hours(1)); }
};

class MachinesHost final : public Host {
 public:
  explicit MachinesHost(Machine& machine) : machine_(machine) {}
  [[nodiscard]] const runtime::Clock& clock() const override { return clock_; }
  [[nodiscard]] std::shared_ptr<const Signals> signals() const override { return nullptr; }
  [[nodiscard]] Threads& threads() override { std::abort(); }
  [[nodiscard]] runtime::Result<std::unique_ptr<Trainer>> start_trainer(const std::vector<std::string>& /*command*/,
                                                                        const std::string& /*checkpoint*/) override {
    return nullptr;
  }
  [[nodiscard]] pid_t pid() const override { return 1; }
  [[nodiscard]] std::vector<Process> processes() const override { return machine_.tree; }
  [[nodiscard]] bool is_running(pid_t pid) const override { return find_process(pid, machine_.tree) != nullptr; }
  bool send(pid_t pid, int signal) const override {
    machine_.sent.emplace_back(pid, signal);
    return true;
  }
  void write_termination_log(const std::string& /*path*/, const std::string& /*text*/) override {}
  void say(std::string_view /*text*/) override {}

 private:
  Machine& machine_;
  StandingClock clock_;
};

class MachinesTrainer final : public Trainer {
 public:
  explicit MachinesTrainer(Machine& machine) : machine_(machine) {}
  [[nodiscard]] pid_t pid() const override { return kLoopOfAll.pid; }
  void send(int signal) const override { machine_.sent.emplace_back(pid(), signal); }
  void send_group(int /*signal*/) const override {}
  void reap() override {}
  [[nodiscard]] std::optional<int> exit_code() const override {
    return find_process(pid(), machine_.tree) != nullptr ? std::nullopt : std::optional(0);
  }
  [[nodiscard]] bool group_gone() const override { return machine_.tree.empty(); }
  [[nodiscard]] bool kill_all(std::chrono::milliseconds /*timeout*/,
                              const std::function<void(std::chrono::milliseconds)>& /*pause*/) override {
    return true;
  }
  void give_terminal_back() const override {}

 private:
  Machine& machine_;
};

class TellingTest : public testing::Test {
 protected:
  Machine machine_{.tree = {kLoopOfAll, kLaunch, kFirstRank, kSecondRank}, .sent = {}};
  MachinesHost host_{machine_};
  MachinesTrainer trainer_{machine_};
  Telling telling_{host_, trainer_};

  void tell() { said_ = telling_.tell(SIGTERM, machine_.tree); }
  std::string said_;
};

TEST_F(TellingTest, reaches_a_launcher_only_when_its_last_rank_has_ended) {
  tell();
  EXPECT_THAT(said_, HasSubstr("SIGTERM goes to python3 4, python3 5"));
  EXPECT_THAT(machine_.take(), ElementsAre(Sent{4, SIGTERM}, Sent{5, SIGTERM}));
  EXPECT_EQ(telling_.go_on(), "");
  machine_.end(4);
  EXPECT_EQ(telling_.go_on(), "");
  EXPECT_THAT(machine_.take(), IsEmpty());
  EXPECT_FALSE(telling_.ended());
  machine_.end(5);
  EXPECT_EQ(telling_.go_on(), "");
  EXPECT_THAT(machine_.take(), ElementsAre(Sent{3, SIGTERM}));
  EXPECT_FALSE(telling_.ended());
  machine_.end(3);
  EXPECT_TRUE(telling_.ended());
}

TEST_F(TellingTest, kills_a_second_life_and_stops_who_began_it_once_nobody_saves_any_more) {
  tell();
  static_cast<void>(machine_.take());
  machine_.end(4);
  machine_.tree.push_back({.pid = 9, .parent = 3, .command = 20, .started = 50});
  EXPECT_THAT(telling_.go_on(), HasSubstr("launch 3 started the trainer again"));
  EXPECT_THAT(machine_.take(), ElementsAre(Sent{9, SIGKILL})) << "the second rank still saves";
  machine_.end(9);
  machine_.end(5);
  machine_.tree.push_back({.pid = 10, .parent = 3, .command = 20, .started = 60});
  EXPECT_EQ(telling_.go_on(), "") << "it is said once";
  EXPECT_THAT(machine_.take(), Contains(Sent{10, SIGKILL}));
  EXPECT_EQ(telling_.go_on(), "");
  EXPECT_THAT(machine_.take(), Contains(Sent{3, SIGKILL})) << "who was told and goes on all the same";
}

TEST_F(TellingTest, leaves_the_forks_of_ranks_that_save_alone) {
  tell();
  static_cast<void>(machine_.take());
  machine_.end(4);
  machine_.tree.push_back({.pid = 9, .parent = 5, .command = 20, .started = 50});
  machine_.tree.push_back({.pid = 10, .parent = 1, .command = 20, .started = 50});
  EXPECT_EQ(telling_.go_on(), "");
  EXPECT_THAT(machine_.take(), IsEmpty());
}

TEST_F(TellingTest, looks_often_only_where_somebody_stands_above_the_ranks) {
  const auto later = host_.clock().steady() + std::chrono::seconds(1);
  EXPECT_EQ(telling_.wake_at(later), later);
  tell();
  EXPECT_LT(telling_.wake_at(later), later);
  machine_.tree = {{.pid = 2, .parent = 1, .caught = kSigterm, .name = "python3", .command = 20}};
  Telling alone(host_, trainer_);
  static_cast<void>(alone.tell(SIGTERM, machine_.tree));
  EXPECT_EQ(alone.wake_at(later), later);
}

}  // namespace
}  // namespace reprise::agent
