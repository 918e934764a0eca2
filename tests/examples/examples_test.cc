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

void goes_through_interruptions(const simulator::OwnKinds& kinds, const fs::path& example) {
  const fs::path own = example / "pool.yaml";
  ExampleWorld world(
      kinds, {text_of(fs::exists(own) ? own : kExamples / "quickstart/pool.yaml"), text_of(example / "job.yaml")});
  ASSERT_EQ(world.problem(), "");
  ASSERT_FALSE(world.jobs().empty());
  for (int before = 0; before < kInterruptions; ++before) {
    ASSERT_TRUE(world.becomes(30min, [&] { return world.all_train(before + 1); }))
        << "attempt " << before + 1 << " does not run. " << world.objections();
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

}  // namespace
}  // namespace reprise::examples
