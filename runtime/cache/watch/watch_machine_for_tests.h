// For the tests of the watch machine: a machine, a clock moved by hand and a random number that is fixed.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/cache/watch/watch_machine.h"

namespace reprise::runtime::testing {

class FixedRandom final : public Random {
 public:
  explicit FixedRandom(double value) : value_(value) {}
  double uniform() override { return value_; }

 private:
  double value_;
};

inline const Error lost{ErrorClass::Unavailable, "connection reset", {}};
inline const Error gone{ErrorClass::Expired, "too old resource version", {}};

struct WatchMachineTest : ::testing::Test {
  template <class Output>
  static const Output* find(const std::vector<WatchOutput>& outputs) {
    for (const WatchOutput& output : outputs) {
      if (const auto* found = std::get_if<Output>(&output)) return found;
    }
    return nullptr;
  }
  std::vector<WatchOutput> step(const WatchInput& input) {
    WatchMachine::Outputs outputs;
    machine->step(now, input, outputs);
    return outputs;
  }
  std::vector<WatchOutput> event(WatchEventType type, const std::string& version, bool end = false) {
    WatchEvent seen;
    seen.type = type;
    seen.resource_version = version;
    seen.initial_events_end = end;
    return step(&seen);
  }
  std::vector<WatchOutput> error_event(const Error& error) {
    WatchEvent seen;
    seen.type = WatchEventType::Error;
    seen.error = error;
    return step(&seen);
  }
  void use(const WatchPolicy& policy, Encoding encoding = Encoding::Protobuf) {
    machine = std::make_unique<WatchMachine>(policy, encoding, random, rejections);
  }
  // Goes to Live at version 100.
  void go_live() {
    step(WatchStarted{});
    step(WatchOpened{});
    event(WatchEventType::Added, "7");
    event(WatchEventType::Bookmark, "100", true);
    ASSERT_EQ(machine->state(), WatchState::Live);
  }
  std::vector<WatchOutput> wait_out() {
    now = *machine->deadline();
    return step(WatchTick{});
  }
  Duration backoff() const { return std::chrono::duration_cast<Duration>(*machine->deadline() - now); }

  Instant now{std::chrono::hours{1}};
  FixedRandom random{0.999};
  WatchRejections rejections;
  std::unique_ptr<WatchMachine> machine =
      std::make_unique<WatchMachine>(WatchPolicy{}, Encoding::Protobuf, random, rejections);
};

}  // namespace reprise::runtime::testing
