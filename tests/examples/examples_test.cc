// A new example is found by its name: examples/NAME/job.yaml, with a pool.yaml or the quickstart's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "simulator/actors/support/conditions.h"
#include "tests/examples/example_world.h"

namespace reprise::examples {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using simulator::number;
using simulator::ObjectPtr;

const fs::path kExamples = EXAMPLES_DIRECTORY;
constexpr int kInterruptions = 3;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> examples() {
  std::vector<fs::path> found;
  for (const fs::directory_entry& each : fs::directory_iterator(kExamples))
    if (fs::exists(each.path() / "job.yaml")) found.push_back(each.path());
  std::ranges::sort(found);
  return found;
}

bool all_complete(const ExampleWorld& world) {
  return std::ranges::all_of(world.jobs(), [](const ObjectPtr& job) { return simulator::is_true(*job, "Complete"); });
}

std::vector<std::string> manifests_of(const fs::path& example) {
  const fs::path own = example / "pool.yaml", queue = example / "queue.yaml";
  std::vector<std::string> all{text_of(fs::exists(own) ? own : kExamples / "quickstart/pool.yaml"),
                               text_of(example / "job.yaml")};
  if (fs::exists(queue)) all.push_back(text_of(queue));
  return all;
}

void goes_through_interruptions(const simulator::OwnKinds& kinds, const fs::path& example) {
  const bool queued = fs::exists(example / "queue.yaml");
  ExampleWorld world(kinds, manifests_of(example));
  ASSERT_EQ(world.problem(), "");
  ASSERT_FALSE(world.jobs().empty());
  for (int before = 0; before < kInterruptions; ++before) {
    ASSERT_TRUE(world.becomes(30min, [&] { return world.all_train(before + 1); }))
        << "attempt " << before + 1 << " does not run. " << world.objections();
    EXPECT_EQ(world.admitted_units() > 0, queued);
    world.pass(2min);
    world.interrupt_all();
  }
  ASSERT_TRUE(world.becomes(2h, [&] { return all_complete(world); })) << world.objections();
  for (const ObjectPtr& job : world.jobs())
    EXPECT_EQ(number(*job, {"status", "interruptionCount"}), kInterruptions) << simulator::name_of(*job);
  EXPECT_EQ(world.problem() + world.objections(), "");
}

TEST(Examples, each_job_is_complete_behind_three_interruptions) {
  const auto kinds = simulator::read_own_kinds();
  ASSERT_TRUE(kinds) << kinds.error().message;
  const std::vector<fs::path> all = examples();
  ASSERT_FALSE(all.empty());
  for (const fs::path& example : all) {
    SCOPED_TRACE(example.filename().string());
    goes_through_interruptions(*kinds, example);
  }
}

TEST(Examples, the_queued_job_has_no_pod_while_its_queue_is_drained) {
  const auto kinds = simulator::read_own_kinds();
  ASSERT_TRUE(kinds) << kinds.error().message;
  ExampleWorld world(*kinds, manifests_of(kExamples / "kueue"));
  world.drain_queue(true);
  EXPECT_FALSE(world.becomes(2h, [&] { return world.has_pods(); }));
  EXPECT_EQ(world.admitted_units(), 0);
  world.drain_queue(false);
  EXPECT_TRUE(world.becomes(30min, [&] { return world.all_train(1); })) << world.objections();
  EXPECT_EQ(world.problem() + world.objections(), "");
}

}  // namespace
}  // namespace reprise::examples
