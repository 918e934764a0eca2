// The volume of one rank after it has resumed from the step that all ranks have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "agent/core/record/record.h"
#include "agent/core/restore/restore.h"
#include "agent/core/watch/made_checkpoints.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using protocol::CommonStep;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CommonRestore : public testing_support::VolumeTest {
 protected:
  CommonRestore() {
    env_.parallelism = 2;
    env_.access = VolumeAccess::PerIndex;
    std::int64_t order = 0;
    for (const char* name : {"step-100", "step-200", "step-300"}) {
      checkpoint(name);
      const auto written = write_made(*volume_, {.order = ++order, .name = name, .job_uid = "job", .attempt = 1});
      EXPECT_TRUE(written);
    }
  }

  [[nodiscard]] std::vector<std::string> made() const {
    std::vector<std::string> names;
    const auto made = read_made(*volume_).value_or(MadeCheckpoints{});
    for (const MadeCheckpoint& each : made) names.push_back(each.name);
    return names;
  }
};

TEST_F(CommonRestore, what_is_newer_is_kept_aside_and_counts_no_more) {
  const auto restored = restore(*volume_, env_, self_, CommonStep{200});
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->point.path, "step-200");
  EXPECT_EQ((*read_resume_point(*volume_, self_))->path, "step-200");
  EXPECT_TRUE(exists(".reprise/ahead/step-300.2/_COMPLETE"));
  EXPECT_FALSE(exists("step-300"));
  EXPECT_TRUE(exists("step-100"));
  EXPECT_THAT(made(), ElementsAre("step-100", "step-200"));
  EXPECT_THAT(restored->notes, ElementsAre(HasSubstr("step-300")));
}

TEST_F(CommonRestore, where_nothing_can_be_moved_what_is_newer_counts_no_more_either) {
  calls_->rename_problem = EOPNOTSUPP;
  ASSERT_TRUE(restore(*volume_, env_, self_, CommonStep{200}));
  EXPECT_TRUE(exists("step-300/_COMPLETE"));
  EXPECT_EQ(volume_->scan()->size(), 2U);
  EXPECT_THAT(made(), ElementsAre("step-100", "step-200"));
  self_.attempt = 3;
  EXPECT_EQ(restore(*volume_, env_, self_, CommonStep{200})->point.path, "step-200");
  self_.attempt = 4;
  EXPECT_THAT(restore(*volume_, env_, self_, CommonStep{300})->step_gone, HasSubstr("step 300"));
}

TEST_F(CommonRestore, where_nothing_is_common_nothing_counts_any_more_and_nothing_is_deleted) {
  const auto restored = restore(*volume_, env_, self_, CommonStep{});
  ASSERT_TRUE(restored);
  EXPECT_FALSE(restored->point.step);
  EXPECT_TRUE(restored->published);
  for (const char* name : {"step-100", "step-200", "step-300"})
    EXPECT_TRUE(exists(".reprise/ahead/" + std::string(name) + ".2/_COMPLETE")) << name;
  EXPECT_THAT(made(), IsEmpty());
}

TEST_F(CommonRestore, a_step_that_is_gone_publishes_and_moves_nothing) {
  std::filesystem::remove(root() / "step-200/_COMPLETE");
  const auto restored = restore(*volume_, env_, self_, CommonStep{200});
  ASSERT_TRUE(restored);
  EXPECT_THAT(restored->step_gone, HasSubstr("step 200"));
  EXPECT_EQ(*read_resume_point(*volume_, self_), std::nullopt);
  for (const char* name : {"step-100", "step-200", "step-300"}) EXPECT_TRUE(exists(name)) << name;
  EXPECT_FALSE(exists(".reprise/quarantine"));
}

// Moving newer ones takes a while.
TEST_F(CommonRestore, a_step_that_goes_meanwhile_is_not_published) {
  calls_->on_call = [this] {
    if (exists(".reprise/ahead/step-300.2")) std::filesystem::remove(root() / "step-200" / "_COMPLETE");
  };
  const auto restored = restore(*volume_, env_, self_, CommonStep{200});
  ASSERT_TRUE(restored);
  EXPECT_THAT(restored->step_gone, HasSubstr("step 200"));
  EXPECT_EQ(*read_resume_point(*volume_, self_), std::nullopt);
  EXPECT_THAT(restored->notes, ElementsAre(HasSubstr("step-300")));
}

TEST_F(CommonRestore, an_agent_that_runs_again_repeats_the_choice_while_the_volume_has_not_moved_on) {
  for (const CommonStep& common : {CommonStep{200}, CommonStep{}}) {
    ++self_.attempt;
    checkpoint("step-200");
    ASSERT_TRUE(restore(*volume_, env_, self_, common));
    const auto again = restore(*volume_, env_, self_, common);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->outdated, "");
    EXPECT_EQ(again->point.step, common.step);
    EXPECT_THAT(restore(*volume_, env_, self_, CommonStep{100})->outdated, HasSubstr("now to resume from step 100"));
    checkpoint("step-210");
    EXPECT_THAT(restore(*volume_, env_, self_, common)->outdated, HasSubstr("the newest is now step-210"));
    EXPECT_TRUE(exists("step-210")) << "nothing is moved by who comes again";
    std::filesystem::remove_all(root() / "step-210");
  }
}

TEST_F(CommonRestore, nothing_goes_while_it_is_not_known_what_all_ranks_have) {
  std::optional<std::int64_t> all;
  int asked = 0;
  CheckpointWatch watch(volume_,
                        {.keep = 1, .prunes = true, .made = *read_made(*volume_), .self = self_, .step_of_all = [&] {
                           ++asked;
                           return all;
                         }});
  checkpoint("step-400");
  watch.look();
  EXPECT_EQ(watch.seen().durable->name, "step-400");
  EXPECT_TRUE(exists("step-100"));
  all = 200;
  watch.look();
  EXPECT_FALSE(exists("step-100")) << "without a new checkpoint";
  EXPECT_TRUE(exists("step-200"));
  all = 400;
  watch.look();
  EXPECT_FALSE(exists("step-200"));
  EXPECT_FALSE(exists("step-300"));
  EXPECT_TRUE(exists("step-400"));
  EXPECT_EQ(asked, 3) << "once in each look";
}

TEST_F(CommonRestore, what_this_rank_alone_had_goes_once_all_ranks_have_passed_it) {
  ASSERT_TRUE(restore(*volume_, env_, self_, CommonStep{200}));
  const auto next = [&](std::int32_t attempt, std::int64_t step) {
    self_.attempt = attempt;
    const auto restored = restore(*volume_, env_, self_, CommonStep{step});
    ASSERT_TRUE(restored);
    EXPECT_EQ(restored->step_gone, "") << step;
  };
  next(3, 200);
  EXPECT_TRUE(exists(".reprise/ahead/step-300.2/_COMPLETE")) << "a person may want it: the others are not so far";
  checkpoint("step-400");
  ASSERT_TRUE(write_made(*volume_, {.order = 4, .name = "step-400", .job_uid = "job", .attempt = 3}));
  next(4, 400);
  EXPECT_FALSE(exists(".reprise/ahead/step-300.2"));
  EXPECT_TRUE(exists("step-200"));
}

TEST_F(CommonRestore, what_this_rank_alone_has_saved_again_and_again_is_there_once) {
  ASSERT_TRUE(restore(*volume_, env_, self_, CommonStep{200}));
  checkpoint("step-300");
  ASSERT_TRUE(write_made(*volume_, {.order = 5, .name = "step-300", .job_uid = "job", .attempt = 2}));
  const Record end{.job_uid = "job", .pod_uid = "pod", .attempt = 2, .index = self_.index, .synced = true};
  testing_support::put_text(volume_->layout.record(2, self_.index), encode_record(end));
  self_.attempt = 3;
  ASSERT_TRUE(restore(*volume_, env_, self_, CommonStep{200}));
  EXPECT_THAT(*volume_->files.list(volume_->layout.ahead()), ElementsAre("step-300.3"));
}

// The number of a day is no step: the first of February is not older than the last of January.
TEST_F(CommonRestore, what_this_rank_alone_had_stays_where_numbers_tell_nothing) {
  for (const char* name : {"step-100", "step-200", "step-300"}) std::filesystem::remove_all(root() / name);
  std::int64_t order = 10;
  for (const char* name : {"ckpt-january-31", "ckpt-february-1"}) {
    checkpoint(name);
    ASSERT_TRUE(write_made(*volume_, {.order = ++order, .name = name, .job_uid = "job", .attempt = 1}));
  }
  ASSERT_EQ(restore(*volume_, env_, self_, CommonStep{31})->point.path, "ckpt-january-31");
  ASSERT_TRUE(exists(".reprise/ahead/ckpt-february-1.2/_COMPLETE"));
  self_.attempt = 3;
  ASSERT_EQ(restore(*volume_, env_, self_, CommonStep{31})->point.path, "ckpt-january-31");
  EXPECT_TRUE(exists(".reprise/ahead/ckpt-february-1.2/_COMPLETE")) << "nobody has passed it";
}

// If nothing is ever common, say because only one rank saves, all that it saves piles up there.
TEST_F(CommonRestore, what_is_put_aside_again_and_again_does_not_fill_the_volume) {
  std::int64_t order = 10, step = 1000;
  for (self_.attempt = 2; self_.attempt < 12; ++self_.attempt) {
    ASSERT_TRUE(restore(*volume_, env_, self_, CommonStep{}));
    for (int save = 0; save < 3; ++save) {
      const std::string name = "step-" + std::to_string(step += 7);
      checkpoint(name);
      ASSERT_TRUE(write_made(*volume_, {.order = ++order, .name = name, .job_uid = "job", .attempt = self_.attempt}));
    }
  }
  EXPECT_LT(volume_->files.list(volume_->layout.ahead())->size(), 20U);
}

}  // namespace
}  // namespace reprise::agent
