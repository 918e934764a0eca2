// How far a trainer is: what is said, by whom, and what is computed from it.
#include "agent/core/progress/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/progress/progress_file.h"
#include "agent/core/progress/progress_pattern.h"
#include "agent/core/progress/trainer_status.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;

const runtime::Instant kBegin{1h};

ProgressNote step(std::int64_t step, std::optional<std::int64_t> total = {}) {
  ProgressNote note;
  note.step = step;
  note.total_steps = total;
  return note;
}

TEST(progress, is_not_known_before_anything_was_said) {
  Progress progress;
  progress.take(ProgressSource::Output, {}, kBegin);
  EXPECT_FALSE(progress.at(kBegin));
}

TEST(progress, percentage_speed_and_time_left_are_computed_from_steps) {
  Progress progress;
  progress.take(ProgressSource::Output, step(100, 1000), kBegin);
  progress.take(ProgressSource::Output, step(120, 1000), kBegin + 10s);
  const auto state = progress.at(kBegin + 13s);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->note.percentage, 12);
  EXPECT_DOUBLE_EQ(state->note.steps_per_second.value_or(0), 2);
  EXPECT_EQ(state->note.remaining_seconds, 440);
  EXPECT_EQ(state->age, 3s);
}

TEST(progress, what_is_said_is_not_computed) {
  Progress progress;
  progress.take(ProgressSource::Output, step(100, 1000), kBegin);
  progress.take(ProgressSource::Output,
                {.step = 200, .total_steps = 1000, .percentage = 33, .remaining_seconds = 5, .steps_per_second = 7},
                kBegin + 10s);
  const auto note = progress.at(kBegin + 10s)->note;
  EXPECT_EQ(note.percentage, 33);
  EXPECT_EQ(note.remaining_seconds, 5);
  EXPECT_EQ(note.steps_per_second, 7);
}

TEST(progress, a_lower_step_begins_the_speed_anew) {
  Progress progress;
  progress.take(ProgressSource::Output, step(100, 1000), kBegin);
  progress.take(ProgressSource::Output, step(200, 1000), kBegin + 10s);
  progress.take(ProgressSource::Output, step(50, 1000), kBegin + 20s);
  EXPECT_FALSE(progress.at(kBegin + 20s)->note.steps_per_second);
  progress.take(ProgressSource::Output, step(60, 1000), kBegin + 30s);
  EXPECT_DOUBLE_EQ(progress.at(kBegin + 30s)->note.steps_per_second.value_or(0), 1);
}

TEST(progress, speed_is_smoothed) {
  Speed speed;
  speed.take(0, kBegin);
  speed.take(10, kBegin + 1s);
  speed.take(11, kBegin + 2s);
  EXPECT_GT(speed.steps_per_second().value_or(0), 9);
  EXPECT_LT(speed.steps_per_second().value_or(0), 10);
}

struct Passing {
  const char* what;
  std::vector<ProgressNote> notes;  // ten seconds apart, of one source
  std::optional<std::chrono::milliseconds> trained;
};

TEST(progress, a_trainer_trains_once_it_has_passed_a_step) {
  const Passing table[] = {
      {"the step that was loaded is none that was passed", {step(400, 1000), step(400, 1000)}, std::nullopt},
      {"the next one is", {step(400, 1000), step(401, 1000)}, 0ms},
      {"it counts from the first that was passed", {step(400, 1000), step(401, 1000), step(402, 1000)}, 10s},
      {"a bar that shows a speed has passed one",
       {{.step = 5, .total_steps = 10, .steps_per_second = 2}, {.step = 6, .total_steps = 10}},
       10s},
      {"a speed of nothing is none", {{.step = 5, .steps_per_second = 0}}, std::nullopt},
      {"one that begins anew has passed none yet", {step(400, 1000), step(0, 1000)}, std::nullopt},
      {"a percentage that grows is as good", {{.percentage = 40}, {.percentage = 41}}, 0ms},
      {"time left alone says nothing", {{.remaining_seconds = 40}, {.remaining_seconds = 30}}, std::nullopt},
  };
  for (const Passing& row : table) {
    Progress progress;
    auto now = kBegin;
    for (const ProgressNote& note : row.notes) progress.take(ProgressSource::Output, note, now += 10s);
    EXPECT_EQ(progress.at(now)->trained, row.trained) << row.what;
  }
}

TEST(progress, two_sources_that_count_differently_pass_no_step_between_them) {
  Progress progress;
  progress.take(ProgressSource::File, step(4, 10), kBegin);
  progress.take(ProgressSource::Output, step(400, 1000), kBegin + 1s);
  EXPECT_FALSE(progress.at(kBegin + 2s)->trained);
}

TEST(progress, the_file_wins_and_the_output_fills_its_gaps) {
  Progress progress;
  progress.take(ProgressSource::File, {.percentage = 40}, kBegin);
  progress.take(ProgressSource::Output, step(9, 10), kBegin + 1s);
  const auto note = progress.at(kBegin + 2s)->note;
  EXPECT_EQ(note.percentage, 40);
  EXPECT_EQ(note.step, 9);
  EXPECT_EQ(note.total_steps, 10);
}

TEST(progress, a_file_that_stays_silent_gives_way_to_the_output) {
  Progress progress;
  progress.take(ProgressSource::File, step(1, 10), kBegin);
  progress.take(ProgressSource::Output, step(5, 10), kBegin + 9min);
  EXPECT_EQ(progress.at(kBegin + 9min)->note.step, 1);
  progress.take(ProgressSource::Output, step(6, 10), kBegin + 11min);
  EXPECT_EQ(progress.at(kBegin + 11min)->note.step, 6);
}

TEST(progress, a_smaller_bar_between_two_looks_at_the_large_one_is_an_evaluation) {
  Progress progress;
  progress.take(ProgressSource::Output, step(500, 1000), kBegin);
  progress.take(ProgressSource::Output, step(20, 50), kBegin + 10s);
  EXPECT_EQ(progress.at(kBegin + 10s)->note.step, 500);
  progress.take(ProgressSource::Output, step(30, 50), kBegin + 11min);
  EXPECT_EQ(progress.at(kBegin + 11min)->note.step, 30);
}

TEST(progress_file, may_say_anything_of_what_it_can_say) {
  const auto parsed =
      parse_progress_file(R"({"step": 120, "totalSteps": 1000.0, "percentage": 12.9, "remainingSeconds": null})");
  EXPECT_EQ(parsed.problem, "");
  EXPECT_EQ(parsed.note, (ProgressNote{.step = 120, .total_steps = 1000, .percentage = 12}));
}

TEST(progress_file, what_is_wrong_in_it_is_left_out_and_named) {
  const auto parsed = parse_progress_file(R"({"step": "many", "totalSteps": 0, "percentage": 50})");
  EXPECT_EQ(parsed.note, ProgressNote{.percentage = 50});
  EXPECT_THAT(parsed.problem, testing::HasSubstr("step"));
  for (const char* text : {"", "[]", "{", "120", "{\"step\": -1}", "{\"percentage\": 101}", "{\"step\": 1e300}"}) {
    EXPECT_TRUE(parse_progress_file(text).note.says_nothing()) << text;
    EXPECT_NE(parse_progress_file(text).problem, "") << text;
  }
  EXPECT_THAT(parse_progress_file(std::string(kMaxProgressFileBytes, ' ') + "{}").problem, testing::HasSubstr("16384"));
}

TEST(progress_file, one_that_was_read_while_it_was_written_is_no_problem) {
  ProgressFileReader reader;
  Progress progress;
  EXPECT_EQ(reader.take("{\"step\"", progress, kBegin), "");
  EXPECT_EQ(reader.take("{\"step\": 3}", progress, kBegin), "");
  EXPECT_EQ(reader.take(std::nullopt, progress, kBegin), "");
  EXPECT_EQ(progress.at(kBegin)->note.step, 3);
}

TEST(progress_file, one_that_makes_no_sense_is_told_once) {
  ProgressFileReader reader;
  Progress progress;
  EXPECT_EQ(reader.take("half", progress, kBegin), "");
  EXPECT_THAT(reader.take(std::nullopt, progress, kBegin), testing::HasSubstr("REPRISE_PROGRESS_FILE"));
  EXPECT_EQ(reader.take("half", progress, kBegin), "");
  EXPECT_EQ(reader.take("half again", progress, kBegin), "");
}

TEST(trainer_status, of_transformers_says_step_percentage_and_time_left) {
  const auto note = parse_trainer_status(
      R"({"trainerStatus": {"lastUpdatedTime": "2026-11-25T09:00:00+00:00", "progressPercentage": 12,)"
      R"( "estimatedRemainingSeconds": 80, "metrics": [{"name": "loss", "value": "0.5"},)"
      R"( {"name": "current_step", "value": "120"}, {"name": "total_steps", "value": "1000"}]}})");
  EXPECT_EQ(note, (ProgressNote{.step = 120, .total_steps = 1000, .percentage = 12, .remaining_seconds = 80}));
}

TEST(trainer_status, of_a_training_that_begins_is_step_0) {
  const auto note = parse_trainer_status(
      R"({"trainerStatus": {"progressPercentage": 0, "metrics": [{"name": "total_steps", "value": "1000"}]}})");
  EXPECT_EQ(note, (ProgressNote{.step = 0, .total_steps = 1000, .percentage = 0}));
}

TEST(trainer_status, that_makes_no_sense_says_nothing) {
  for (const char* text : {"", "{}", "[]", R"({"trainerStatus": 1})"}) EXPECT_FALSE(parse_trainer_status(text)) << text;
  for (const char* text : {R"({"trainerStatus": {"progressPercentage": 101, "metrics": {}}})",
                           R"({"trainerStatus": {"metrics": [1, {"name": "current_step", "value": "-1"}]}})",
                           R"({"trainerStatus": {"metrics": [{"name": "current_step", "value": "1.5"}]}})"})
    EXPECT_TRUE(parse_trainer_status(text)->says_nothing()) << text;
}

TEST(progress, each_other_step_or_percentage_is_a_move_and_a_repeated_one_is_none) {
  Progress progress;
  for (const std::int64_t at : {1, 1, 2, 2, 1}) progress.take(ProgressSource::Output, {.step = at}, {});
  EXPECT_EQ(progress.moves().count, 3);
  EXPECT_EQ(progress.moves().step, 1);
  progress.take(ProgressSource::Status, {.percentage = 12}, {});
  progress.take(ProgressSource::Status, {.percentage = 12}, {});
  EXPECT_EQ(progress.moves().count, 4);
}

// The smaller bar moves while the training does not.
TEST(progress, a_smaller_bar_moves_as_well) {
  Progress progress;
  progress.take(ProgressSource::Output, {.step = 500, .total_steps = 1000}, {});
  for (const std::int64_t at : {1, 2, 3}) progress.take(ProgressSource::Output, {.step = at, .total_steps = 10}, {});
  EXPECT_EQ(progress.moves().count, 4);
}

TEST(progress, a_step_is_stated_where_it_is_told_to_the_agent_itself) {
  Progress printed, filed, percentage;
  printed.take(ProgressSource::Output, {.step = 1}, {});
  EXPECT_FALSE(printed.moves().stated);
  filed.take(ProgressSource::File, {.step = 1}, {});
  EXPECT_TRUE(filed.moves().stated);
  percentage.take(ProgressSource::Status, {.percentage = 1}, {});
  EXPECT_FALSE(percentage.moves().stated);
}

// Else a trainer that has told of a step seems to hang in a long validation.
TEST(progress, other_work_shows_that_the_trainer_goes_on_and_no_step) {
  Progress progress;
  progress.take(ProgressSource::Output, {.step = 500, .steps_per_second = 2}, kBegin);
  for (const std::int32_t at : {10, 20, 20})
    progress.take(ProgressSource::Output, {.percentage = at, .of_other_work = true}, kBegin + 10s);
  EXPECT_EQ(progress.moves().count, 3);
  EXPECT_EQ(progress.moves().step, 500);
  EXPECT_EQ(progress.at(kBegin + 10s)->note.step, 500);
  EXPECT_FALSE(progress.at(kBegin + 10s)->note.percentage);
}

// A script of Lightning's that prints its steps as well: they count another thing, and know their total.
TEST(progress, what_tells_a_step_goes_before_the_bar_of_an_epoch) {
  Progress progress;
  const auto prints = [&](std::string_view line, std::chrono::seconds at) {
    progress.take(ProgressSource::Output, *ProgressPattern().find(line), kBegin + at);
  };
  prints("Epoch 0:  11%|#   | 110/1000 [00:09<01:20, 12.0it/s, v_num=0]", 0s);
  prints("step 30/1000", 1s);
  prints("Epoch 0:  12%|#   | 120/1000 [00:10<01:20, 12.0it/s, v_num=0]", 2s);
  EXPECT_EQ(progress.at(kBegin + 2s)->note.step, 30);
  prints("step 31/1000", 3s);
  const auto note = progress.at(kBegin + 3s)->note;
  EXPECT_EQ(note.step, 31);
  EXPECT_EQ(note.percentage, 3);
  EXPECT_TRUE(note.remaining_seconds);
}

struct Line {
  const char* text;
  std::optional<std::int64_t> step, total = std::nullopt;
};

class PrintedLine : public testing::TestWithParam<Line> {};

TEST_P(PrintedLine, is_read_as_it_is_meant) {
  const auto found = ProgressPattern().find(GetParam().text);
  ASSERT_EQ(found.has_value(), GetParam().step.has_value()) << GetParam().text;
  if (!found) return;
  EXPECT_EQ(found->step, GetParam().step) << GetParam().text;
  EXPECT_EQ(found->total_steps, GetParam().total) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    table, PrintedLine,
    testing::Values(Line{"step 120/1000", 120, 1000}, Line{"[rank0] Step: 120 loss=0.5", 120},
                    Line{"global_step=120", 120}, Line{"{'loss': 0.1, 'global_step': 120, 'epoch': 1}", 120},
                    Line{"{\"step\": 120}", 120}, Line{"step 1,200 of 10,000", 1200, 10000},
                    Line{"step 7: loss 0.3", 7}, Line{" iteration       10/     100 | lr", 10, 100},
                    Line{"saved step 12.", 12}, Line{"step 30, loss 0.5", 30},
                    Line{"12%|\xE2\x96\x88\xE2\x96\x8F   | 120/1000 [00:10<01:20,  2.50it/s]", 120, 1000},
                    Line{"Train:  12%|##  | 120/1000 [00:10<?, ?it/s, loss=1]", 120, 1000},
                    Line{"Downloading:  12%|##  | 120/1000 [00:10<01:20,  2.50it/s]", {}},
                    Line{"Epoch 3:  12%|##  | 120/1000 [00:10<01:20,  2.50it/s]", {}}, Line{"max_steps: 1000", {}},
                    Line{"Epoch 3:  12%|##  | 120/1000 [00:10<01:20,  2.50it/s, v_num=0]", 3120},
                    Line{"Epoch 0: 100%|##| 6/6 [00:00<00:00, 17.53it/s, train_loss=0.5, v_num=abc-1]", 6},
                    Line{"Epoch 0:   0%|  | 0/6 [00:00<?, ?it/s, v_num=0]        ", {}},
                    Line{"Epoch 1:  17%|# | 1/6 [00:00<?, ?it/s, v_num=0, global_step=40]", 40},
                    Line{"Epoch 99999999999:  1%|# | 1/99999999999 [00:00<?, ?it/s, v_num=0]", {}},
                    Line{"warmup_step=100", {}}, Line{"seconds per step: 12", {}}, Line{"step: 0.25 s", {}},
                    Line{"step 12s", {}}, Line{"step 99999999999999999999", {}}, Line{"stepping 12", {}},
                    Line{"loss 0.5", {}}, Line{"", {}}, Line{"step \xff 12", {}}));

TEST(progress_pattern, a_bar_of_lightning_s_epoch_says_how_fast_it_goes) {
  EXPECT_EQ(ProgressPattern().find("Epoch 2:  17%|#   | 1/6 [00:00<00:00,  4.00s/it, v_num=0]"),
            (ProgressNote{.step = 13, .steps_per_second = 0.25, .of_one_epoch = true}));
}

TEST(progress_pattern, a_bar_of_lightning_s_validation_is_of_other_work) {
  EXPECT_EQ(ProgressPattern().find("Validation DataLoader 0:  50%|##  | 3/6 [00:00<00:00, 425.82it/s]"),
            (ProgressNote{.percentage = 50, .of_other_work = true}));
  EXPECT_FALSE(ProgressPattern().find("Validation: |          | 0/? [00:00<?, ?it/s]"));
}

TEST(progress_pattern, a_bar_says_what_is_left_and_how_fast_it_goes) {
  const auto fast = ProgressPattern().find("12%|##    | 120/1000 [00:10<1:01:20,  2.50it/s]");
  EXPECT_EQ(
      *fast,
      (ProgressNote{
          .step = 120, .total_steps = 1000, .percentage = 12, .remaining_seconds = 3680, .steps_per_second = 2.5}));
  const auto slow = ProgressPattern().find("  1%|      | 1/100 [00:04<06:36,  4.00s/it]");
  EXPECT_EQ(slow->steps_per_second, 0.25);
  EXPECT_EQ(slow->remaining_seconds, 396);
}

TEST(progress_pattern, of_the_user_takes_the_place_of_the_common_one) {
  const auto one = ProgressPattern::compile("batch=(\\d+)");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->find("batch=7 of 9"), step(7));
  EXPECT_FALSE(one->find("step 7"));
  const auto two = ProgressPattern::compile("(\\d+) out of (\\d+)( x)?");
  EXPECT_EQ(two->find("7 out of 9"), step(7, 9));
  EXPECT_FALSE(ProgressPattern::compile("name=(.*)")->find("name=x"));
}

TEST(progress_pattern, that_cannot_be_used_says_why) {
  EXPECT_THAT(ProgressPattern::compile("step (").error().message, testing::HasSubstr("missing"));
  EXPECT_THAT(ProgressPattern::compile("step \\d+").error().message, testing::HasSubstr("no group"));
}

}  // namespace
}  // namespace reprise::agent
