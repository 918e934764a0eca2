#include "rehearsal/trainers/output_reader.h"

#include <gtest/gtest.h>

#include <fstream>

#include "agent/testing/temporary_directory.h"

namespace reprise::rehearsal {
namespace {

TEST(OutputReader, finds_the_steps_that_trainers_name) {
  struct Row {
    std::string output;
    std::optional<std::int64_t> first, last;
  };
  const Row rows[] = {{"", {}, {}},
                      {"resumed from step 40\nstep 50 loss 0.1\n", 40, 50},
                      {"Step: 7/100\rStep: 8/100\r", 7, 8},
                      {"{'loss': 1.5, 'step': 12}\n", 12, 12},
                      {"global_step=3 lr=0.1\n", 3, 3},
                      {"saved step-40\n", {}, {}},
                      {"max_steps 1000, warmup_step 5\n", {}, {}},
                      {"reprise-agent: resuming at step 9\nstep 10\n", 10, 10},
                      {"step by step 5", 5, 5}};
  for (const Row& row : rows) {
    const PrintedSteps steps = printed_steps(row.output);
    EXPECT_EQ(steps.first, row.first) << row.output;
    EXPECT_EQ(steps.last, row.last) << row.output;
  }
}

TEST(OutputReader, tells_from_where_and_by_how_many_the_steps_count_evenly) {
  struct Row {
    std::string output;
    std::optional<std::int64_t> from, by;
  };
  const Row rows[] = {{"step 1\nstep 2\nsaved at step 2\nstep 3\n", 1, 1},
                      {"step 0\nstep 50\nstep 100\n", 0, 50},
                      {"step 1\nstep 2\n", {}, {}},
                      {"step 37\nstep 38\nstep 39\n", 37, 1},
                      {"eval every step 10\nstep 37\nstep 38\nstep 39\n", 37, 1},
                      {"loading step 89\nno such file, taking step 50\nstep 51\nstep 52\n", 50, 1},
                      {"step 1\nstep 2\nstep 3\nbest was step 1\nstep 4\nstep 5\n", 1, 1},
                      {"epoch 0 step 1\nepoch 0 step 2\nepoch 1 step 0\nepoch 1 step 1\n", {}, {}},
                      {"epoch 0 step 1\nstep 2\nstep 3\nepoch 1 step 1\nstep 2\nstep 3\n", {}, {}}};
  for (const Row& row : rows) {
    EXPECT_EQ(printed_steps(row.output).counts_from, row.from) << row.output;
    EXPECT_EQ(printed_steps(row.output).counts_by, row.by) << row.output;
  }
}

TEST(OutputReader, last_words_are_the_trainers) {
  EXPECT_EQ(last_output("a\nTraceback\nValueError: no\n\nreprise-agent: x\n"), "ValueError: no");
  EXPECT_EQ(last_output("a\nTraceback\n\nValueError: no\n\n", 2), "Traceback | ValueError: no");
  EXPECT_EQ(last_output(""), "");
  EXPECT_EQ(last_output(std::string(1000, 'x')).size(), 200U);
}

TEST(OutputReader, of_a_long_file_reads_both_ends) {
  const agent::testing_support::TemporaryDirectory directory;
  std::ofstream(directory.path() / "log") << "step 1\n" << std::string(1'000'000, '.') << "\nstep 2\n";
  const std::string text = ends_of_file(directory.path() / "log");
  EXPECT_LT(text.size(), 200'000U);
  EXPECT_EQ(printed_steps(text).first, 1);
  EXPECT_EQ(printed_steps(text).last, 2);
}

TEST(PrintedSteps, say_of_how_many) {
  EXPECT_EQ(printed_steps("step 149 of 200\nstep 150 of 200\n").total, 200);
  EXPECT_EQ(printed_steps("step: 3/40 loss 2\n").total, 40);
  EXPECT_EQ(printed_steps("global_step = 3 / 40\n").total, 40);
  EXPECT_FALSE(printed_steps("step 3 of the last\n").total);
  EXPECT_FALSE(printed_steps("step 3 loss 0.1/2\n").total);
}

}  // namespace
}  // namespace reprise::rehearsal
