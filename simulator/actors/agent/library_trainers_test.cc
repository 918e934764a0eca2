// Trainers that save by libraries, and the agent's handling of their files.
#include <gtest/gtest.h>

#include "simulator/actors/testing/ranks.h"

namespace reprise::simulator::testing {
namespace {

using Plan = std::map<std::string, std::string>;

struct LibraryScene : Scene {
  explicit LibraryScene(Plan its_plan) : plan(std::move(its_plan)) {
    node("one", 8);
    claim("data", "block", "ReadWriteOnce");
    plan.insert({{"folder", "out"}, {"save-every-steps", "60"}, {"save-milliseconds", "14000"}, {"steps", "600"}});
  }
  void run_attempt(int attempt) {
    start(*this, {.attempt = attempt, .env = {{"REPRISE_CHECKPOINT_FORMAT", "Auto"}}, .annotations = plan});
  }
  // Empty: the attempt has not published its resume point.
  [[nodiscard]] std::optional<std::int64_t> resumed_by(int attempt) {
    EXPECT_TRUE(becomes(minutes(5), [&] { return disk_of(*this).attempts[attempt].resume.has_value(); }));
    const auto& point = disk_of(*this).attempts[attempt].resume;
    return point ? point->step : std::nullopt;
  }
  bool saves(std::int64_t step) {
    return becomes(minutes(30), [&] {
      const Disk* disk = actors->volumes.disk(actors->volume_of("default", "data"));
      return disk != nullptr && disk->newest_complete() == step;
    });
  }
  // Leaves no time to save anything.
  void kill(const std::string& pod) {
    actors->power_loss(node_of(pod));
    node("two", 8);
  }
  Plan plan;
};

class SavesByLibrary : public ::testing::TestWithParam<const char*> {};

TEST_P(SavesByLibrary, the_next_attempt_goes_on_from_what_was_complete_last) {
  LibraryScene scene(Plan{{"library", GetParam()}});
  scene.run_attempt(1);
  ASSERT_TRUE(scene.saves(120));
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "fit-1-0"}));
  ASSERT_TRUE(scene.becomes(minutes(2), [&] { return scene.find_pod("fit-1-0") == nullptr; }));
  const auto last = disk_of(scene).newest_complete();
  scene.run_attempt(2);
  EXPECT_EQ(scene.resumed_by(2), last);
  EXPECT_TRUE(scene.becomes(minutes(30), [&] { return scene.phase_of("fit-2-0") == "Succeeded"; }));
}

// Cuts the save in steps of half a file.
TEST_P(SavesByLibrary, a_save_that_is_cut_off_anywhere_is_not_resumed_from) {
  for (int piece = 1; piece < 14; ++piece) {
    LibraryScene scene(Plan{{"library", GetParam()}, {"on-term", "Exit"}});
    scene.run_attempt(1);
    ASSERT_TRUE(scene.saves(60));
    ASSERT_TRUE(scene.becomes(minutes(5), [&] { return disk_of(scene).checkpoints.contains(120); }));
    scene.run(Duration{piece * 1'000});
    ASSERT_FALSE(disk_of(scene).checkpoints[120].complete) << piece;
    scene.actors->volumes.disk(scene.actors->volume_of("default", "data"))->sync(scene.node_of("fit-1-0"));
    scene.kill("fit-1-0");
    scene.actors->force_delete_pod("default", "fit-1-0");
    static_cast<void>(scene.becomes(minutes(1), [&] { return scene.find_pod("fit-1-0") == nullptr; }));
    scene.actors->out_of_service("one");
    scene.run_attempt(2);
    EXPECT_EQ(scene.resumed_by(2), 60) << piece;
  }
}

INSTANTIATE_TEST_SUITE_P(Libraries, SavesByLibrary, ::testing::Values("HuggingFace", "Lightning", "PyTorchDCP"),
                         [](const auto& each) { return std::string(each.param); });

TEST(LibraryTrainer, a_library_keeps_as_many_as_it_was_told_to) {
  LibraryScene scene(Plan{{"library", "HuggingFace"}, {"save-limit", "2"}});
  scene.run_attempt(1);
  ASSERT_TRUE(scene.becomes(minutes(40), [&] { return scene.phase_of("fit-1-0") == "Succeeded"; }));
  EXPECT_EQ(disk_of(scene).checkpoints.size(), 2U);
  EXPECT_EQ(disk_of(scene).newest_complete(), 600);
}

TEST(LibraryTrainer, files_beside_checkpoints_are_there_from_the_start_and_stay) {
  LibraryScene scene(Plan{{"library", "HuggingFace"}, {"files-beside", "true"}});
  scene.run_attempt(1);
  ASSERT_TRUE(scene.becomes(minutes(40), [&] { return scene.phase_of("fit-1-0") == "Succeeded"; }));
  EXPECT_TRUE(disk_of(scene).beside.contains("models/llama-7b/.metadata"));
  EXPECT_EQ(disk_of(scene).newest_complete(), 600);
}

}  // namespace
}  // namespace reprise::simulator::testing
