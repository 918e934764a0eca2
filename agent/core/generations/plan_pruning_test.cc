// The parts of one save go together, or all stay.
#include "agent/core/generations/plan_pruning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Checkpoints as one attempt of this job saw them appear, in this order.
class Saved {
 public:
  Saved& save(const std::vector<std::string>& names, std::int32_t attempt = 1) {
    for (const std::string& name : names) {
      question.found.insert(question.found.begin(), {.name = name,
                                                     .step = read_save_name(name).step.value_or(0),
                                                     .complete = true,
                                                     .time = runtime::WallTime(std::chrono::seconds(++clock_))});
      question.made.push_back({.order = clock_, .name = name, .job_uid = "job", .attempt = attempt});
      question.durable_step = std::max(question.durable_step.value_or(0), question.found.front().step);
    }
    return *this;
  }
  Checkpoint& at(const std::string& name) { return *std::ranges::find(question.found, name, &Checkpoint::name); }
  [[nodiscard]] std::vector<std::string> goes(std::int32_t keep) {
    question.keep = keep;
    std::vector<std::string> names;
    for (const Generation& each : plan_pruning(question).goes)
      for (const Generation::Part& part : each.parts) names.push_back(part.name);
    return names;
  }

  PruneQuestion question{.job_uid = "job"};

 private:
  std::int64_t clock_ = 0;
};

struct PartsOf {
  const char* sentence;
  std::vector<std::string> first, second;
};
const PartsOf kPartsOf[] = {
    {"a rank behind the step", {"step_10_rank0", "step_10_rank1"}, {"step_20_rank0", "step_20_rank1"}},
    {"a directory for each rank", {"rank0/step_10", "rank1/step_10"}, {"rank0/step_20", "rank1/step_20"}},
    {"ranks in the step's", {"step_10/rank0", "step_10/rank1"}, {"step_20/rank0", "step_20/rank1"}},
    {"numbers alone behind the step",
     {"checkpoint_step10_0.pt", "checkpoint_step10_1.pt"},
     {"checkpoint_step20_0.pt", "checkpoint_step20_1.pt"}},
    {"weights and optimizer", {"epoch.001.pt", "epoch.001.opt.pt"}, {"epoch.002.pt", "epoch.002.opt.pt"}},
    {"places by content", {"model/step-10", "optimizer/step-10"}, {"model/step-20", "optimizer/step-20"}},
    {"shards",
     {"ckpt-10-00000-of-00002.pt", "ckpt-10-00001-of-00002.pt"},
     {"ckpt-20-00000-of-00002.pt", "ckpt-20-00001-of-00002.pt"}},
    {"directories by numbers", {"0/step_10", "1/step_10"}, {"0/step_20", "1/step_20"}},
};

TEST(plan_pruning, of_the_only_generation_no_part_goes) {
  for (const PartsOf& each : kPartsOf) EXPECT_THAT(Saved().save(each.first).goes(1), IsEmpty()) << each.sentence;
}

TEST(plan_pruning, a_generation_goes_whole_behind_one_that_has_all_of_its_parts) {
  for (const PartsOf& each : kPartsOf) {
    SCOPED_TRACE(each.sentence);
    EXPECT_THAT(Saved().save(each.first).save(each.second).goes(1), UnorderedElementsAre(each.first[0], each.first[1]));
    EXPECT_THAT(Saved().save(each.first).save(each.second).goes(2), IsEmpty());
    EXPECT_THAT(Saved().save(each.first).save({each.second[0]}).goes(1), IsEmpty()) << "a part is still to come";
    Saved torn = Saved().save(each.first).save(each.second);
    torn.at(each.second[1]).complete = false;
    EXPECT_THAT(torn.goes(1), IsEmpty());
    Saved unproven = Saved().save(each.first).save(each.second);
    unproven.question.unproven.insert(each.second[1]);
    EXPECT_THAT(unproven.goes(1), IsEmpty());
  }
}

TEST(plan_pruning, what_has_a_torn_part_stays_with_it) {
  Saved saved = Saved().save({"step_10_rank0", "step_10_rank1"}).save({"step_20_rank0", "step_20_rank1"});
  saved.at("step_10_rank1").complete = false;
  EXPECT_THAT(saved.goes(1), IsEmpty());
}

TEST(plan_pruning, what_has_a_rank_s_part_that_this_job_may_not_have_written_stays_with_it) {
  const std::vector<std::string> first{"rank0/step_10", "rank1/step_10"}, second{"rank0/step_20", "rank1/step_20"};
  Saved saved = Saved().save(first).save(second);
  for (MadeCheckpoint& each : saved.question.made) each.doubtful = each.name.starts_with("rank1/");
  EXPECT_THAT(saved.goes(1), IsEmpty());
}

TEST(plan_pruning, each_of_two_programs_has_generations_of_its_own) {
  Saved saved = Saved().save({"actor/step_10", "critic/step_1000", "critic/step_2000"});
  EXPECT_THAT(saved.goes(1), ElementsAre("critic/step_1000"));
  Saved runs = Saved().save({"run_0/step_10", "run_1/step_1000"});
  EXPECT_THAT(runs.goes(1), IsEmpty());
}

TEST(plan_pruning, a_later_attempt_may_save_in_a_directory_with_another_number) {
  Saved saved = Saved().save({"version_0/step_10"}, 1).save({"version_1/step_20"}, 2);
  EXPECT_THAT(saved.goes(1), ElementsAre("version_0/step_10"));
  EXPECT_THAT(Saved().save({"version_0/step_10", "version_1/step_20"}).goes(1), IsEmpty()) << "of one attempt";
  Saved one_of_two = Saved().save({"0/step_10", "1/step_10"}, 1).save({"0/step_20"}, 2);
  EXPECT_THAT(one_of_two.goes(1), IsEmpty());
  Saved older = Saved().save({"version_0/step_20"}, 1).save({"version_1/step_10"}, 2);
  EXPECT_THAT(older.goes(1), IsEmpty());
}

TEST(plan_pruning, more_ranks_than_before_are_more_than_enough_and_fewer_are_not) {
  EXPECT_THAT(Saved().save({"step_10_rank0"}).save({"step_20_rank0", "step_20_rank1"}).goes(1),
              ElementsAre("step_10_rank0"));
  EXPECT_THAT(Saved().save({"step_10_rank0", "step_10_rank1"}).save({"step_20_rank0"}).goes(1), IsEmpty());
}

TEST(plan_pruning, a_stage_above_a_save_is_a_part_and_an_epoch_is_none) {
  EXPECT_THAT(Saved().save({"stage_0/step_10", "stage_1/step_10"}).save({"stage_0/step_20"}).goes(1), IsEmpty());
  EXPECT_THAT(Saved().save({"ep0/step_10", "ep1/step_10"}).save({"ep0/step_20"}).goes(1), IsEmpty());
  EXPECT_THAT(Saved().save({"epoch_0/step_10", "epoch_1/step_20"}).goes(1), ElementsAre("epoch_0/step_10"));
}

TEST(plan_pruning, nothing_goes_while_a_lower_number_was_completed_later_in_the_same_place) {
  EXPECT_THAT(Saved().save({"step_20", "step_10"}).goes(1), IsEmpty());
  Saved ranks = Saved().save({"rank0/step_10", "rank0/step_20", "rank1/step_10", "rank1/step_20"});
  EXPECT_THAT(ranks.goes(1), UnorderedElementsAre("rank0/step_10", "rank1/step_10")) << "each in an order of its own";
}

TEST(plan_pruning, what_does_not_say_of_which_save_it_is_stays_and_is_named) {
  Saved saved;
  for (const char* step : {"10", "20", "30"})
    saved.save({std::string("checkpoint_") + step + "_0.pt", std::string("checkpoint_") + step + "_1.pt"});
  EXPECT_THAT(saved.goes(1), IsEmpty());
  EXPECT_THAT(say_unclear(plan_pruning(saved.question)), HasSubstr("checkpoint_30_1.pt and 5 more"));
}

}  // namespace
}  // namespace reprise::agent
