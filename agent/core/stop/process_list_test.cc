// A list of processes misses nobody who runs, whatever starts and ends while it is made.
#include "agent/core/stop/process_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace reprise::agent {
namespace {

using testing::ElementsAre;

constexpr pid_t kAgent = 1;

// A /proc in which something happens before a process is read.
struct ChangingTable {
  std::map<pid_t, Process> now;
  std::map<pid_t, std::function<void()>> before;
  int times_read = 0;

  void start(pid_t pid, pid_t parent) { now[pid] = {.pid = pid, .parent = parent}; }
  ProcessTable table() {
    return {.pids =
                [this] {
                  ++times_read;
                  std::vector<pid_t> pids;
                  for (const auto& [pid, process] : now) pids.push_back(pid);
                  return pids;
                },
            .read =
                [this](pid_t pid) {
                  if (auto happens = before.extract(pid)) happens.mapped()();
                  const auto found = now.find(pid);
                  return found == now.end() ? Process{.pid = pid} : found->second;
                }};
  }
  std::vector<pid_t> running() {
    std::vector<pid_t> pids;
    for (const Process& each : list_below(kAgent, table()))
      if (!each.ended) pids.push_back(each.pid);
    return pids;
  }
};

TEST(process_list, has_whom_a_process_started_that_ended_before_it_was_read) {
  for (const bool reaped : {false, true}) {
    ChangingTable changing;
    changing.start(kAgent, 0);
    changing.start(10, kAgent);
    changing.before[10] = [&] {
      changing.start(11, kAgent);
      changing.now[10].ended = true;
      if (reaped) changing.now.erase(10);
    };
    EXPECT_THAT(changing.running(), ElementsAre(11)) << reaped;
  }
}

TEST(process_list, has_the_last_of_several_that_start_one_another_and_end) {
  ChangingTable changing;
  changing.start(kAgent, 0);
  changing.start(10, kAgent);
  for (const pid_t pid : {10, 11, 12})
    changing.before[pid] = [&changing, pid] {
      changing.start(pid + 1, kAgent);
      changing.now[pid].ended = true;
    };
  EXPECT_THAT(changing.running(), ElementsAre(13));
}

// Numbers begin anew behind the highest, so a child may have a lower one than its parent.
TEST(process_list, has_a_process_whose_parent_ended_after_it_was_read) {
  for (const bool reaped : {false, true}) {
    ChangingTable changing;
    changing.start(kAgent, 0);
    changing.start(5, 400);
    changing.start(400, kAgent);
    changing.before[400] = [&] {
      changing.now[5].parent = kAgent;
      changing.now[400].ended = true;
      if (reaped) changing.now.erase(400);
    };
    EXPECT_THAT(changing.running(), ElementsAre(5)) << reaped;
  }
}

TEST(process_list, has_parents_before_their_children_and_nobody_else) {
  ChangingTable changing;
  changing.start(kAgent, 0);
  changing.start(7, 30);
  changing.start(30, kAgent);
  changing.start(8, 2);
  changing.start(2, 0);
  EXPECT_THAT(changing.running(), ElementsAre(30, 7));
}

TEST(process_list, ends_beside_processes_that_start_others_for_ever) {
  ChangingTable changing;
  changing.start(kAgent, 0);
  std::function<void(pid_t)> starts = [&](pid_t pid) {
    changing.start(pid, kAgent);
    changing.before[pid] = [&, pid] { starts(pid + 1); };
  };
  starts(10);
  EXPECT_EQ(changing.running().size(), 16);
  EXPECT_EQ(changing.times_read, 16);
}

}  // namespace
}  // namespace reprise::agent
