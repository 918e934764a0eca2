// A volume that is looked at by the layouts of libraries, and checkpoints of Trainer on it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/checkpoint_files.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent::testing_support {

class LayoutFormatTest : public VolumeTest {
 protected:
  LayoutFormatTest() { use("Auto"); }
  void use(const std::string& format) {
    auto calls = std::make_shared<FakeCalls>();
    calls_ = calls.get();
    volume_ = posix_volume(root(), make_format(format).value(), std::move(calls));
    env_.format = format;
  }
  void save(int step, const std::string& run = "out") const {
    put_hugging_face(root() / run / ("checkpoint-" + std::to_string(step)), step);
  }
  void tear(const std::string& checkpoint) const {
    std::filesystem::remove(root() / checkpoint / "trainer_state.json");
  }
  // "<name> <format>", "!" before a torn one.
  [[nodiscard]] std::vector<std::string> scanned() const {
    std::vector<std::string> lines;
    const auto found = volume_->scan();
    EXPECT_TRUE(found) << found.error().message;
    for (const Checkpoint& each : found.value_or(Checkpoints{}))
      lines.push_back((each.complete ? "" : "!") + each.name + " " + each.format);
    return lines;
  }
  // The same of what counts, where saves are held against each other.
  [[nodiscard]] std::vector<std::string> counted() const {
    std::vector<std::string> lines;
    auto scan = scan_volume(*volume_, env_, MadeList::ReadOnly);
    EXPECT_TRUE(scan) << scan.error().message;
    if (!scan) return lines;
    std::ranges::sort(scan->found, std::ranges::greater(), &Checkpoint::step);
    for (const Checkpoint& each : scan->found)
      lines.push_back((each.complete ? "" : "!") + each.name + " " + each.format);
    return lines;
  }
  [[nodiscard]] Restored restored() const {
    auto restored = restore(*volume_, env_, self_);
    EXPECT_TRUE(restored) << restored.error().message;
    return restored.value_or(Restored{});
  }
  // The next attempt's, after this job's last save was cut off: checkpoint-20, beside a complete checkpoint-10.
  [[nodiscard]] CheckpointWatch watch_after_a_torn_save() {
    save(10);
    auto first = watch();
    save(20);
    tear("out/checkpoint-20");
    first.look();
    self_.attempt = 3;
    return watch();
  }
  // As the operator's agent would: everything that comes while this watches was made by this job.
  [[nodiscard]] CheckpointWatch watch(std::optional<std::int32_t> keep = std::nullopt) const {
    const auto before = restored();
    return {volume_,
            {.resumed_path = before.point.path,
             .keep = keep,
             .prunes = true,
             .before = before.before,
             .made = before.made,
             .self = self_}};
  }
};

}  // namespace reprise::agent::testing_support
