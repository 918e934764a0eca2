// The whole parts of a save that is not whole are no checkpoint.
#include "agent/core/generations/halves/half_saves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/generations/outlived.h"
#include "agent/core/generations/plan_pruning.h"
#include "agent/core/record/report.h"
#include "agent/formats/name_numbers.h"
#include "agent/testing/saves_on_volume.h"

namespace reprise::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using testing_support::in_layout;
using testing_support::OnVolume;

const std::vector<int> kAll{0, 1, 2, 3};
const char* const kLayouts[] = {"rank#/step_@",
                                "step_@_rank#",
                                "rank#_step_@",
                                "checkpoint_step@_#.pt",
                                "ep#/step_@",
                                "10.0.0.#/step_@",
                                "tp0_pp#/checkpoint-@",
                                "node#/out/step_@",
                                "worker_#/checkpoints/epoch_@",
                                "ckpt-@-0000#-of-00004",
                                "step=@-rank=#.ckpt",
                                "gpu#/checkpoint_2_@.pt",
                                "run-1/rank#/step_@",
                                "checkpoint_1_@-shard#.pt",
                                "mp_rank_0#/gpt--val_loss=0.@-step=@-consumed_samples=@.0.ckpt",
                                "rank#/step_@-loss-2.@"};

TEST(half_saves, a_save_with_a_part_missing_of_those_that_the_one_before_it_had_is_none) {
  for (const std::string layout : kLayouts) {
    SCOPED_TRACE(layout);
    for (const std::int32_t attempt : {0, 1}) {
      OnVolume saved = OnVolume().save_ranks(layout, 100, kAll, attempt).save_ranks(layout, 200, kAll, attempt);
      EXPECT_THAT(saved.halves(), IsEmpty());
      saved.save_ranks(layout, 300, {0, 1}, attempt);
      EXPECT_THAT(saved.names(), UnorderedElementsAre(in_layout(layout, 300, 0), in_layout(layout, 300, 1)));
      ASSERT_EQ(saved.halves().size(), 1U);
      EXPECT_THAT(saved.halves().front().lacks,
                  UnorderedElementsAre(in_layout(layout, 200, 2), in_layout(layout, 200, 3)));
      saved.save_ranks(layout, 300, {2, 3}, attempt);
      EXPECT_THAT(saved.halves(), IsEmpty()) << "its trainer was still writing them";
    }
  }
}

TEST(half_saves, a_torn_part_of_a_rank_makes_halves_of_the_others_whatever_was_before) {
  for (const std::string layout : kLayouts) {
    if (layout.starts_with("ep")) continue;  // or an epoch
    OnVolume saved = OnVolume().save_ranks(layout, 100, {0, 1, 2}).tear(in_layout(layout, 100, 3));
    EXPECT_EQ(saved.names().size(), 3U) << layout;
    EXPECT_THAT(say_halves(saved.halves(), std::nullopt), HasSubstr(in_layout(layout, 100, 3)));
  }
}

TEST(half_saves, a_torn_part_makes_halves_of_what_lies_in_a_directory_beside_its_own_before_any_save_was_whole) {
  const auto saved_torn = [](const char* whole, const char* torn, const std::vector<int>& steps) {
    OnVolume saved;
    for (const int step : steps) {
      saved.save({in_layout(whole, step, 0)}).tear(in_layout(torn, step, 0));
      saved.found.front().format = "DeepSpeed";
    }
    return saved.names();
  };
  const std::vector<int> first{100}, both{100, 200};
  for (const auto& [one, other] :
       {std::pair("ckpt/_actor/global_step@", "ckpt/_critic/global_step@"),
        std::pair("model/step_@", "optimizer/step_@"), std::pair("run-1/actor/step_@", "run-1/critic/step_@")}) {
    EXPECT_THAT(saved_torn(one, other, first), ElementsAre(in_layout(one, 100, 0))) << one;
    EXPECT_THAT(saved_torn(one, other, both), IsEmpty()) << "it never is whole: a layout that fits no format";
  }
  EXPECT_THAT(saved_torn("run-1/actor/step_@", "run-2/critic/step_@", first), IsEmpty()) << "another training";
  EXPECT_THAT(saved_torn("sft_policy/step_@", "pretrained_model/step_@", first), IsEmpty()) << "another training";
}

TEST(half_saves, ranks_without_a_mark_in_any_save_are_not_taken_for_torn) {
  OnVolume saved = OnVolume().save({"step_10_rank0"}).tear("step_10_rank1");
  EXPECT_EQ(saved.names().size(), 1U);
  EXPECT_THAT(saved.save({"step_20_rank0"}).tear("step_20_rank1").names(), IsEmpty());
  EXPECT_EQ(saved.save({"step_30_rank0", "step_30_rank1"}).names().size(), 2U) << "they do set marks";
}

TEST(half_saves, weights_are_none_without_the_optimizer_that_was_saved_with_the_ones_before) {
  for (const auto& [weights, optimizer] :
       {std::pair("model/step_@", "optimizer/step_@"), std::pair("epoch.00@.pt", "epoch.00@.opt.pt"),
        std::pair("_actor/global_step@", "_critic/global_step@")}) {
    OnVolume saved =
        OnVolume().save({in_layout(weights, 1, 0), in_layout(optimizer, 1, 0)}).save({in_layout(weights, 2, 0)});
    EXPECT_THAT(saved.names(), ElementsAre(in_layout(weights, 2, 0))) << weights;
    saved.tear(in_layout(optimizer, 2, 0));
    EXPECT_THAT(saved.names(), ElementsAre(in_layout(weights, 2, 0))) << weights;
  }
}

TEST(half_saves, what_a_trainer_calls_as_it_likes_belongs_together_where_two_saves_had_it) {
  OnVolume saved = OnVolume().save({"x/step_1", "y/step_1"}).save({"x/step_2"});
  EXPECT_THAT(saved.halves(), IsEmpty()) << "a copy perhaps that was made once";
  saved = OnVolume().save({"x/step_1", "y/step_1"}).save({"x/step_2", "y/step_2"}).save({"x/step_3"});
  EXPECT_THAT(saved.names(), ElementsAre("x/step_3"));
  saved =
      OnVolume().save({"x/step_1"}).save({"x/step_2", "y/step_2"}).save({"x/step_3", "y/step_3"}).save({"x/step_4"});
  EXPECT_THAT(saved.names(), ElementsAre("x/step_4")) << "it came for the first time with step 2";
  saved = OnVolume().save({"step_1", "step_1_ema"}).save({"step_2"});
  EXPECT_THAT(saved.names(), ElementsAre("step_2")) << "beside it, one save tells";
  EXPECT_THAT(OnVolume().save({"step_1"}).save({"step_2", "step_2_ema"}).save({"step_3"}).names(), IsEmpty());
  saved = OnVolume().save({"trainer-0/step_1", "trainer-1/step_1"}).save({"trainer-1/step_2"});
  EXPECT_THAT(saved.names(), ElementsAre("trainer-1/step_2")) << "a number tells ranks apart";
}

TEST(half_saves, of_names_with_two_numbers_a_torn_part_makes_halves_where_the_save_before_had_the_same_parts) {
  OnVolume saved = OnVolume().save({"checkpoint_10_0.pt", "checkpoint_10_1.pt", "checkpoint_20_0.pt"});
  EXPECT_THAT(saved.halves(), IsEmpty());
  EXPECT_THAT(saved.tear("checkpoint_20_1.pt").names(), ElementsAre("checkpoint_20_0.pt"));
  saved = OnVolume().save({"checkpoint_1_500.pt", "checkpoint_1_1000.pt"}).tear("checkpoint_2_1500.pt");
  EXPECT_THAT(saved.halves(), IsEmpty());
}

TEST(half_saves, a_name_says_how_many_there_have_to_be) {
  for (const char* layout : {"ckpt-@-0000#-of-00004.pt", "step_@_rank#of4", "step-@-#_of_4"}) {
    OnVolume saved = OnVolume().save_ranks(layout, 100, {0, 1, 2});
    EXPECT_EQ(saved.names().size(), 3U) << layout;
    EXPECT_THAT(say_halves(saved.halves(), std::nullopt), HasSubstr("(3 are there)"));
    EXPECT_THAT(saved.save_ranks(layout, 100, {3}).names(), IsEmpty()) << layout;
  }
  const OnVolume alone = OnVolume().save_ranks("step_@_rank#of4", 100, {2});
  EXPECT_THAT(find_half_saves(alone.found, alone.made, Holds::OneRank), IsEmpty()) << "the others have volumes too";
  EXPECT_THAT(OnVolume().save({"step_40_of_100", "epoch_3_of_10"}).names(), IsEmpty());
}

TEST(half_saves, copies_and_other_trainings_are_no_parts) {
  const auto none = [](OnVolume saved) { EXPECT_THAT(saved.names(), IsEmpty()) << saved.found.front().name; };
  none(OnVolume().save({"step_1", "best_step_1"}).save({"step_2", "best_step_2"}).save({"step_3"}));
  none(OnVolume().save({"step_1", "step_1_eval"}).save({"step_2", "step_2_eval"}).save({"step_3"}));
  none(OnVolume().save({"step_1", "step_1-loss=0.5"}).save({"step_2", "step_2-loss=0.4"}).save({"step_3"}));
  none(OnVolume().save({"step_1"}).tear("step_1_eval").tear("step_1_plots"));
  none(OnVolume().save({"actor/step_10", "critic/step_1000", "actor/step_20"}));
  none(OnVolume().save({"run-0/step_1", "run-1/step_1", "run-0/step_2", "run-1/step_2", "run-0/step_3"}));
  none(OnVolume().save({"0/step_1", "0/step_2", "0/step_3", "1/step_1", "1/step_2"}));
  none(OnVolume().save({"stage1/step_1", "stage1/step_2", "stage1/step_3", "stage2/step_1"}).tear("stage2/step_2"));
  none(OnVolume().save({"model/step_1", "model/step_2", "optim/step_2", "model/step_3"}));
  none(OnVolume().save({"version_0/step_1"}, 1).save({"version_1/step_2"}, 2).tear("version_1/step_3", 2));
  none(OnVolume().save({"ckpt-2026-11-29", "ckpt-2026-11-30"}).tear("ckpt-2026-12-01"));
  const OnVolume resolutions = OnVolume().save({"checkpoint_256_1.pt", "checkpoint_256_2.pt", "checkpoint_256_3.pt"});
  none(OnVolume(resolutions).save({"checkpoint_512_1.pt"}).tear("checkpoint_512_2.pt"));
}

TEST(half_saves, a_gang_that_has_shrunk_is_not_stuck) {
  OnVolume saved = OnVolume().save_ranks("rank#/step_@", 100, kAll).save_ranks("rank#/step_@", 200, {0, 1}, 2);
  EXPECT_EQ(saved.names().size(), 2U);
  EXPECT_THAT(saved.save_ranks("rank#/step_@", 300, {0, 1}, 2).names(), IsEmpty());
  EXPECT_THAT(saved.save_ranks("rank#/step_@", 400, {0, 1}, 3).names(), IsEmpty()) << "that is what is usual now";
  EXPECT_EQ(saved.save_ranks("rank#/step_@", 500, {0}, 3).names().size(), 1U);
}

TEST(half_saves, workers_that_save_at_their_own_pace_are_not_held_against_a_step_that_they_had_in_common) {
  OnVolume saved = OnVolume().save({"worker0/step_100", "worker1/step_100", "worker0/step_110", "worker1/step_112"});
  EXPECT_EQ(saved.names().size(), 2U);
  EXPECT_THAT(saved.save({"worker0/step_120", "worker1/step_124"}).names(), IsEmpty());
}

TEST(half_saves, of_one_attempt_three_in_a_row_are_no_accident_and_two_may_be_late) {
  OnVolume saved = OnVolume().save_ranks("rank#/step_@", 100, kAll).save_ranks("rank#/step_@", 200, {0, 1});
  EXPECT_EQ(saved.save_ranks("rank#/step_@", 300, {0, 1}).names().size(), 4U);
  EXPECT_THAT(saved.save_ranks("rank#/step_@", 400, {0, 1}).names(), IsEmpty());
  EXPECT_EQ(saved.tear("rank2/step_200").tear("rank2/step_300").tear("rank2/step_400").names().size(), 6U);
}

TEST(half_saves, nothing_is_pruned_that_shows_a_newer_one_to_be_whole) {
  OnVolume saved = OnVolume().save_ranks("rank#/step_@", 100, kAll);
  for (const int step : {200, 300, 400}) saved.save_ranks("rank#/step_@", step, {0, 1}, 2);
  const auto plan =
      plan_pruning({.found = saved.found, .made = saved.made, .job_uid = "job", .durable_step = 400, .keep = 1});
  ASSERT_EQ(plan.goes.size(), 1U);
  EXPECT_EQ(plan.goes.front().step, 200);
  EXPECT_THAT(plan.lacking, HasSubstr("deletes nothing of step 100: the save of step 400 has nothing like rank"));
}

TEST(half_saves, a_torn_part_that_keeps_a_generation_is_named) {
  OnVolume saved = OnVolume().save({"step_10", "step_20", "step_20_optim"}).tear("step_10_optim");
  const PruneQuestion question{
      .found = saved.found, .made = saved.made, .job_uid = "job", .durable_step = 20, .keep = 1};
  const auto plan = plan_pruning(question);
  EXPECT_THAT(plan.goes, IsEmpty());
  EXPECT_THAT(plan.lacking, HasSubstr("of step 10: step_10_optim is a part of it by its name, and not complete"));
  saved = OnVolume().save({"actor/step_10", "critic/step_1000"});
  EXPECT_EQ(plan_pruning({.found = saved.found, .made = saved.made, .job_uid = "job", .durable_step = 1000, .keep = 1})
                .lacking,
            "")
      << "each is the newest of its training";
}

TEST(half_saves, what_was_resumed_from_is_known_by_its_name) {
  const OnVolume saved = OnVolume().save({"step_10", "step_20", "step_30"});
  PruneQuestion question{
      .found = saved.found, .made = saved.made, .job_uid = "job", .durable_step = 30, .resumed_from = 7, .gang = true};
  question.keep = 1;
  question.resumed_path = "step_20";
  const auto goes = plan_pruning(question).goes;
  ASSERT_EQ(goes.size(), 1U);
  EXPECT_EQ(goes.front().step, 10);
}

// "checkpoint_30_0.pt" alone.
TEST(half_saves, of_names_with_two_numbers_a_missing_part_makes_halves_where_both_saves_before_had_it_at_one_time) {
  const auto saved = [](const std::vector<std::pair<std::string, int>>& names_and_times) {
    OnVolume volume;
    for (const auto& [name, time] : names_and_times) {
      volume.save({name});
      volume.found.front().time = runtime::WallTime(std::chrono::seconds(time));
    }
    return volume;
  };
  const std::vector<std::pair<std::string, int>> both{{"checkpoint_10_0.pt", 100},
                                                      {"checkpoint_10_1.pt", 103},
                                                      {"checkpoint_20_0.pt", 200},
                                                      {"checkpoint_20_1.pt", 201}};
  auto ranks = both;
  ranks.emplace_back("checkpoint_30_0.pt", 300);
  ASSERT_THAT(saved(ranks).names(), ElementsAre("checkpoint_30_0.pt"));
  EXPECT_THAT(saved(ranks).halves().front().lacks, ElementsAre("checkpoint_20_1.pt"));
  ranks.emplace_back("checkpoint_30_1.pt", 302);
  EXPECT_THAT(saved(ranks).halves(), IsEmpty());
  auto other_rank = both;
  other_rank.emplace_back("checkpoint_30_1.pt", 300);
  EXPECT_THAT(saved(other_rank).names(), ElementsAre("checkpoint_30_1.pt"));
  EXPECT_THAT(saved({{"checkpoint_10_0.pt", 100}, {"checkpoint_10_1.pt", 103}, {"checkpoint_20_0.pt", 200}}).halves(),
              IsEmpty())
      << "one save before";
  EXPECT_THAT(saved({{"ckpt_64_1.pt", 100},
                     {"ckpt_64_2.pt", 200},
                     {"ckpt_128_1.pt", 300},
                     {"ckpt_128_2.pt", 400},
                     {"ckpt_256_1.pt", 500}})
                  .halves(),
              IsEmpty())
      << "epochs at a resolution, one by one";
  auto fewer = both;
  for (const int step : {30, 40, 50}) fewer.emplace_back("checkpoint_" + std::to_string(step) + "_0.pt", step * 10);
  EXPECT_THAT(saved(fewer).halves(), IsEmpty()) << "three in a row: the new way";
  fewer.pop_back();
  EXPECT_THAT(saved(fewer).names(), ElementsAre("checkpoint_40_0.pt", "checkpoint_30_0.pt"));
}

TEST(half_saves, parts_are_known_by_their_steps_where_a_clock_was_set_back) {
  for (const bool is_set_back : {true, false}) {
    OnVolume saved;
    for (const int step : {10, 20, 30, 40}) {
      saved.save({in_layout("actor/step_@", step, 0), in_layout("critic/step_@", step, 0)});
      if (is_set_back && step > 20)
        for (const std::size_t part : {0, 1}) saved.found[part].time -= std::chrono::hours(1);
    }
    EXPECT_THAT(saved.halves(), IsEmpty());
    saved.save({"actor/step_50"});
    if (is_set_back) saved.found.front().time -= std::chrono::hours(1);
    EXPECT_THAT(saved.names(), ElementsAre("actor/step_50"));
  }
}

TEST(half_saves, a_torn_one_is_not_outlived_where_its_step_is_unclear) {
  const OnVolume saved = OnVolume().save({"checkpoint_10_1.pt"}, 1).save({"checkpoint_20_1.pt"}, 2);
  EXPECT_FALSE(is_outlived("checkpoint_15_1.pt", 2, {.found = saved.found, .made = saved.made, .job_uid = "job"}));
  const OnVolume clear = OnVolume().save({"step_10"}, 1).save({"step_20"}, 2);
  EXPECT_TRUE(is_outlived("step_15", 2, {.found = clear.found, .made = clear.made, .job_uid = "job"}));
}

TEST(half_saves, each_new_reason_why_something_stays_is_said_once) {
  std::set<std::string> said;
  EXPECT_THAT(new_among({"nothing of step 10: a link", "x"}, said), ElementsAre("nothing of step 10: a link", "x"));
  EXPECT_THAT(new_among({"x", "nothing of step 20: a link"}, said), IsEmpty());
  EXPECT_THAT(new_among({"nothing of step 20: a file", "x"}, said), ElementsAre("nothing of step 20: a file"));
}

}  // namespace
}  // namespace reprise::agent
