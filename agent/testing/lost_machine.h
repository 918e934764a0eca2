// A volume on a disk of one machine, of which each attempt's agent knows what the disk has alone.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/core/record/record.h"
#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent::testing_support {

class LostMachineTest : public VolumeTest {
 protected:
  LostMachineTest() {
    calls_->mount = MountKind{.type = "ext4", .proof = DurabilityProof::Sync, .local = true};
    self_.attempt = 0;
  }
  // An attempt starts.
  Restored start() {
    ++self_.attempt;
    anew();
    auto restored = restore(*volume_, env_, self_, {}, {.now = [this] { return now_ += std::chrono::seconds(1); }});
    EXPECT_TRUE(restored) << restored.error().message;
    return restored ? *std::move(restored) : Restored{};
  }
  // Writes files that bear no sum, and have more than a block.
  void checkpoint(const std::string& name) const {
    put_text(root() / name / "state.bin", std::string(5'000, 'x'));
    put_text(root() / name / "_COMPLETE", "");
  }
  // Another process, which has the disk's word alone.
  void anew() {
    auto calls = std::make_shared<FakeCalls>();
    calls->mount = calls_->mount;
    calls->rename_problem = calls_->rename_problem;
    calls_ = calls.get();
    volume_ = posix_volume(root(), std::make_unique<MarkerFormat>(), std::move(calls));
  }
  // Its agent sees what is there by now.
  void look(const Restored& restored) const {
    CheckpointWatch watch(volume_, {.prunes = true, .before = restored.before, .made = restored.made, .self = self_});
    watch.look();
    EXPECT_EQ(watch.seen().problem, "");
  }
  // And sees it end.
  void end(bool synced = true, std::int32_t rank = 0) const {
    Record record{.job_uid = "job", .pod_uid = "pod", .attempt = self_.attempt, .index = rank, .synced = synced};
    put_text(volume_->layout.record(self_.attempt, rank), encode_record(record));
  }
  // The first attempt, of which step-1 is proven.
  void proven_first() {
    const auto first = start();
    checkpoint("step-1");
    look(first);
  }
  runtime::Instant now_{};
  static std::vector<std::string> names(const Checkpoints& checkpoints) {
    std::vector<std::string> names;
    for (const Checkpoint& each : checkpoints) names.push_back(each.name);
    return names;
  }
};

}  // namespace reprise::agent::testing_support
