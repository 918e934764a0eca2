// Formats with other things than directories in the root: core asks the format, and needs to know of none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "agent/core/restore/restore.h"
#include "agent/core/retain/prune.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/other_formats.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::put_text;

struct Kind {
  std::string_view name;
  std::string (*checkpoint)(int step);
  void (*put)(const fs::path& root, int step, bool complete);
  std::unique_ptr<CheckpointFormat> (*format)();
};

template <class Format>
std::unique_ptr<CheckpointFormat> make() {
  return std::make_unique<Format>();
}

const Kind kKinds[] = {
    {.name = "NestedSteps",
     .checkpoint = [](int step) { return "run/step-" + std::to_string(step); },
     .put = [](const fs::path& root, int step,
               bool complete) { testing_support::put_checkpoint(root, "run/step-" + std::to_string(step), complete); },
     .format = make<testing_support::NestedSteps>},
    {.name = "SingleFiles",
     .checkpoint = [](int step) { return "save-" + std::to_string(step) + ".pt"; },
     .put =
         [](const fs::path& root, int step, bool complete) {
           const std::string file = "save-" + std::to_string(step) + ".pt";
           put_text(root / file, "weights");
           if (complete) put_text(root / (file + ".done"), "");
         },
     .format = make<testing_support::SingleFiles>},
    {.name = "Tracker",
     .checkpoint = [](int step) { return "iter_" + std::to_string(step); },
     .put =
         [](const fs::path& root, int step, bool complete) {
           put_text(root / ("iter_" + std::to_string(step)) / "common.pt", "weights");
           if (complete) put_text(root / testing_support::Tracker::kFile, std::to_string(step));
         },
     .format = make<testing_support::Tracker>}};

class OtherFormats : public testing_support::VolumeTest, public testing::WithParamInterface<Kind> {
 protected:
  OtherFormats() { use(0); }
  // `rename_problem`: of a volume that moves nothing.
  void use(int rename_problem) {
    auto calls = std::make_shared<testing_support::FakeCalls>();
    calls_ = calls.get();
    calls_->rename_problem = rename_problem;
    volume_ = posix_volume(root(), GetParam().format(), std::move(calls));
  }
  [[nodiscard]] static std::string named(int step) { return GetParam().checkpoint(step); }
  void save(int step, bool complete = true) const { GetParam().put(root(), step, complete); }
  // Writes an entry as an agent that watched does.
  void made(int step, int attempt) {
    made_.push_back({.order = static_cast<std::int64_t>(made_.size()) + 1,
                     .name = named(step),
                     .job_uid = "job",
                     .attempt = attempt});
    ASSERT_TRUE(write_made(*volume_, made_.back()));
  }
  [[nodiscard]] std::vector<std::string> scanned() const {
    std::vector<std::string> names;
    const auto found = volume_->scan();
    for (const Checkpoint& each : *found) names.push_back(each.name);
    return names;
  }
  [[nodiscard]] Identity attempt(int number) const {
    Identity self = self_;
    self.attempt = number;
    return self;
  }
  [[nodiscard]] CheckpointWatch::Options keeps_one() const {
    return {.keep = 1, .prunes = true, .made = made_, .self = self_};
  }
  MadeCheckpoints made_;
};

TEST_P(OtherFormats, the_newest_complete_one_is_resumed_from_and_the_torn_one_is_put_aside) {
  began();
  for (const int step : {10, 20}) save(step);
  save(30, false);
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->point.path, named(20));
  EXPECT_TRUE(fs::exists(volume_->format->resume_path(root(), restored->point.path)));
  EXPECT_THAT(scanned(), ElementsAre(named(20), named(10)));
  EXPECT_FALSE(volume_->files.list(volume_->layout.quarantine())->empty());
}

TEST_P(OtherFormats, from_scratch_nothing_counts_that_was_there) {
  for (const int step : {10, 20}) save(step);
  env_.resume = ResumePolicy::FromScratch;
  ASSERT_TRUE(restore(*volume_, env_, self_));
  EXPECT_THAT(scanned(), IsEmpty());
  save(5);
  EXPECT_THAT(scanned(), ElementsAre(named(5)));
}

TEST_P(OtherFormats, from_scratch_nothing_counts_that_was_there_on_a_volume_that_moves_nothing_either) {
  use(EOPNOTSUPP);
  for (const int step : {10, 20}) save(step);
  env_.resume = ResumePolicy::FromScratch;
  ASSERT_TRUE(restore(*volume_, env_, self_));
  EXPECT_TRUE(std::ranges::none_of(*volume_->scan(), &Checkpoint::complete));
}

TEST_P(OtherFormats, older_ones_are_pruned_once_a_newer_one_is_durable) {
  for (const int problem : {0, EOPNOTSUPP}) {
    use(problem);
    for (const int step : {10, 20, 30}) save(step), made(step, 2);
    CheckpointWatch watch(volume_, keeps_one());
    watch.look();
    EXPECT_EQ(watch.seen().problem, "");
    ASSERT_TRUE(watch.seen().durable);
    EXPECT_EQ(watch.seen().durable->name, named(30));
    EXPECT_EQ(watch.seen().size_bytes, 7);
    EXPECT_THAT(scanned(), ElementsAre(named(30)));
    EXPECT_FALSE(exists(named(20)));
    EXPECT_TRUE(volume_->files.list(volume_->layout.trash())->empty());
  }
}

TEST_P(OtherFormats, one_to_which_a_link_leads_is_not_pruned) {
  for (const int step : {10, 20, 30}) save(step), made(step, 2);
  fs::create_symlink(named(10), root() / "best");
  fs::create_symlink(fs::path(named(20)).filename(), (root() / named(20)).parent_path() / "latest");
  CheckpointWatch watch(volume_, keeps_one());
  watch.look();
  EXPECT_EQ(watch.seen().problem, "");
  EXPECT_THAT(scanned(), ElementsAre(named(30), named(20), named(10)));
}

TEST_P(OtherFormats, torn_ones_that_were_moved_go_behind_a_newer_one_and_no_earlier) {
  for (const int step : {10, 20}) save(step), made(step, 1);
  for (const int number : {2, 3}) {
    save(20 + number, false);
    made(20 + number, number - 1);
    const auto restored = restore(*volume_, env_, attempt(number));
    ASSERT_TRUE(restored);
    EXPECT_EQ(restored->point.path, named(20));
  }
  const auto left = [this] { return volume_->files.list(volume_->layout.torn())->size(); };
  EXPECT_EQ(left(), 2U) << "nothing newer is complete";
  const auto restored = restore(*volume_, env_, attempt(4));
  ASSERT_TRUE(restored);
  CheckpointWatch watch(volume_, {.resumed_path = restored->point.path,
                                  .prunes = true,
                                  .before = restored->before,
                                  .made = restored->made,
                                  .self = attempt(4)});
  save(25);
  watch.look();
  EXPECT_EQ(left(), 0U);
}

TEST_P(OtherFormats, a_torn_one_that_does_not_move_goes_where_it_lies_when_a_later_attempt_finds_it_unchanged) {
  use(EOPNOTSUPP);
  for (const int step : {10, 20}) save(step), made(step, 1);
  save(30, false);
  made(30, 1);
  save(40, false);
  made(40, 2);
  ASSERT_TRUE(restore(*volume_, env_, attempt(3)));
  ASSERT_TRUE(restore(*volume_, env_, attempt(4)));
  EXPECT_TRUE(exists(named(30))) << "nothing newer is complete";
  save(25);
  made(25, 4);
  ASSERT_TRUE(restore(*volume_, env_, attempt(5)));
  EXPECT_FALSE(exists(named(30)));
  EXPECT_TRUE(exists(named(40)));  // an entry of the last attempt that has left any
}

TEST_P(OtherFormats, one_that_appears_while_an_agent_watches_is_written_down) {
  save(10);
  CheckpointWatch watch(volume_, {.prunes = true, .before = *volume_->scan(), .self = self_});
  save(20);
  save(30);
  watch.look();
  const auto made = read_made(*volume_);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->size(), 2U);
  EXPECT_EQ(made->front().name, named(20));
  EXPECT_EQ(watch.seen().durable->name, named(30));
}

INSTANTIATE_TEST_SUITE_P(Beyond, OtherFormats, testing::ValuesIn(kKinds),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace reprise::agent
