#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/reprise/demo/demo_command.h"
#include "apps/reprise/demo/demo_options.h"
#include "apps/reprise/text_file.h"

namespace reprise::apps {
namespace {

namespace fs = std::filesystem;
using runtime::Duration;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

std::string weights(const std::string& steps) {
  return "# weights after step " + steps + "\n0x1.8p+0\n";
}

// Stands for the trainer: writes the weights of one that was never interrupted.
bool trained(const std::vector<std::string>& words) {
  write(fs::path(words[4]) / "final" / "weights.txt", weights(words[6]));
  return true;
}

class DemoTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::path(::testing::TempDir()) /
                 ("demo-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(directory_);
    world_.programs = "/programs";
    world_.run_program = trained;
    world_.rehearse = [this](const rehearsal::RehearsalPlan& plan, const rehearsal::RehearsalObserver& observer) {
      return rehearse(plan, observer);
    };
  }
  void TearDown() override { fs::remove_all(directory_); }

  runtime::Result<rehearsal::RunReport> rehearse(const rehearsal::RehearsalPlan& plan,
                                                 const rehearsal::RehearsalObserver& observer) {
    plan_ = plan;
    for (const char* steps : {"560", "620", "480"})
      if (skipped_ != steps)
        write(plan.work_directory / "volumes" / steps / "final" / "weights.txt", weights(steps) + extra_);
    static_cast<void>(observer({.time = Duration(5'000), .news = {"machine spot-1 is ready"}}));
    rehearsal::RunReport report{.title = "t", .length = Duration(10'000), .speed = plan.speed};
    report.interruptions = {
        {.job = "vision/segment", .resumed_after = Duration(2'000), .survived = true, .saved = true, .steps_lost = 0}};
    return report;
  }

  int run(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.end(), {"--examples-dir", REPRISE_EXAMPLES, "--output-dir", directory_.string()});
    out_.str("");
    err_.str("");
    return run_demo(arguments, world_, out_, err_);
  }

  std::string file(const char* name) const { return text_of_file(directory_ / name).value_or(""); }

  fs::path directory_;
  DemoWorld world_;
  rehearsal::RehearsalPlan plan_;
  std::string skipped_, extra_;
  std::ostringstream out_, err_;
};

TEST_F(DemoTest, ends_with_what_it_came_to_and_the_path_of_the_page) {
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_THAT(out_.str(), StartsWith("0:00:05  machine spot-1 is ready\n"));
  EXPECT_THAT(out_.str(), HasSubstr("Survived its interruption"));
  EXPECT_THAT(out_.str(), HasSubstr("equal, bit by bit"));
  EXPECT_THAT(out_.str(), HasSubstr("The picture: " + (directory_ / "report.html").string() + "\n"));
  EXPECT_THAT(file("report.html"), HasSubstr("<svg"));
  EXPECT_THAT(file("report.json"), HasSubstr("\"survived\": true"));
  EXPECT_THAT(file("report.html"), HasSubstr("<dt>Final weights, as if undisturbed</dt>"));
  EXPECT_THAT(file("report.txt"), HasSubstr("Survived its interruption"));
}

TEST_F(DemoTest, plays_the_recorded_day_with_the_three_jobs) {
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_THAT(plan_.pool_yaml, HasSubstr("kind: GpuPool"));
  ASSERT_THAT(plan_.job_yamls, SizeIs(3));
  for (const std::string& yaml : plan_.job_yamls)
    EXPECT_THAT(yaml, HasSubstr(std::string(REPRISE_EXAMPLES) + "/trainer/data/points.csv"));
  ASSERT_THAT(plan_.spot.zones, SizeIs(3));
  EXPECT_EQ(plan_.spot.zones[1].name, "us-west-2b");
  EXPECT_NEAR(plan_.spot.zones[1].price_per_hour, 1.224, 1e-9);
  EXPECT_NEAR(plan_.on_demand_price_per_hour, 3.06, 1e-9);
  ASSERT_THAT(plan_.spot.zones[1].edges, SizeIs(8));
  EXPECT_EQ(plan_.spot.zones[1].edges[0].at, Duration(865'313)) << "tick 71 of 195 s, sixteen times as fast";
  EXPECT_FALSE(plan_.spot.zones[1].edges[0].available);
  EXPECT_TRUE(plan_.spot.zones[1].edges[1].available);
  EXPECT_EQ(plan_.speed, 60);
  EXPECT_EQ(plan_.agent, "/programs/reprise-agent");
}

TEST_F(DemoTest, a_slower_demo_has_slower_steps_so_the_day_is_the_same) {
  ASSERT_EQ(run({"--speed", "240", "--seed=7"}), 0) << err_.str();
  EXPECT_EQ(plan_.speed, 15);
  EXPECT_EQ(plan_.seed, 7U);
  EXPECT_THAT(plan_.job_yamls[0], HasSubstr("{name: STEP_MILLISECONDS, value: \"400\"}"));
}

TEST_F(DemoTest, weights_that_differ_or_are_missing_fail_it) {
  extra_ = "0x1.9p+0\n";
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(out_.str(), HasSubstr("vision/finetune: its final weights are not those of an undisturbed run"));
  EXPECT_THAT(out_.str(), HasSubstr("3 of 3 differ"));
  EXPECT_THAT(out_.str(), HasSubstr("Did not survive"));
  extra_ = "";
  skipped_ = "480";
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(out_.str(), HasSubstr("speech/align: it left no final weights"));
  EXPECT_THAT(file("report.json"), HasSubstr("\"survived\": false"));
}

TEST_F(DemoTest, two_results_of_one_job_fail_it) {
  write(directory_ / ".reprise-demo", "");
  world_.rehearse = [this](const auto& plan, const auto& observer) {
    write(plan.work_directory / "other" / "final" / "weights.txt", weights("560"));
    return rehearse(plan, observer);
  };
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(out_.str(), HasSubstr("vision/segment: it left final weights more than once"));
}

TEST_F(DemoTest, a_trainer_that_does_not_run_proves_nothing) {
  world_.run_program = [](const std::vector<std::string>&) { return false; };
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(out_.str(), HasSubstr("the undisturbed run failed: /programs/trainer"));
}

TEST_F(DemoTest, what_an_earlier_demo_left_is_not_resumed_from) {
  ASSERT_EQ(run(), 0);
  write(directory_ / "run" / "volumes" / "old" / "step-1" / "_COMPLETE", "");
  write(directory_ / "run" / "old" / "final" / "weights.txt", weights("560"));
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_FALSE(fs::exists(directory_ / "run" / "volumes" / "old"));
}

TEST_F(DemoTest, a_directory_of_someone_else_is_left_alone) {
  write(directory_ / "run" / "thesis.tex", "years of work");
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("holds something else; name an empty directory with --output-dir"));
  EXPECT_TRUE(fs::exists(directory_ / "run" / "thesis.tex"));
}

TEST_F(DemoTest, on_a_terminal_a_picture_is_drawn_and_the_cursor_comes_back) {
  world_.terminal = rehearsal::LiveStyle{};
  world_.size_of = [] { return rehearsal::TerminalSize{.columns = 80, .rows = 24}; };
  ASSERT_EQ(run(), 0);
  EXPECT_THAT(out_.str(), HasSubstr("\033[?25l"));
  EXPECT_LT(out_.str().rfind("\033[?25l"), out_.str().rfind("\033[?25h"));
  ASSERT_EQ(run({"--plain"}), 0);
  EXPECT_THAT(out_.str(), Not(HasSubstr("\033")));
}

TEST_F(DemoTest, an_interrupt_ends_the_rehearsal_and_is_no_verdict) {
  bool asked_to_end = false;
  world_.interrupted = [] { return true; };
  world_.rehearse = [&](const auto&, const auto& observer) -> runtime::Result<rehearsal::RunReport> {
    asked_to_end = !observer({});
    return rehearsal::RunReport{};
  };
  EXPECT_EQ(run(), 130);
  EXPECT_TRUE(asked_to_end);
  EXPECT_FALSE(fs::exists(directory_ / "report.html"));
}

TEST_F(DemoTest, a_rehearsal_that_cannot_be_says_why) {
  world_.rehearse = [](const auto&, const auto&) -> runtime::Result<rehearsal::RunReport> {
    return runtime::fail(runtime::ErrorClass::Invalid, "job vision/segment: spec.poolName: no such pool");
  };
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(err_.str(), "reprise demo: job vision/segment: spec.poolName: no such pool\n");
}

TEST_F(DemoTest, missing_examples_are_named) {
  EXPECT_EQ(run_demo({"--examples-dir", "/nowhere", "--output-dir", directory_.string()}, world_, out_, err_), 1);
  EXPECT_EQ(err_.str(),
            "reprise demo: /nowhere/traces/v100-us-west-2-day.csv: cannot be read: No such file or directory "
            "(run it in a clone of the repository; --examples-dir names where the examples are)\n");
}

TEST(DemoOptions, bad_words_are_named_with_what_is_allowed) {
  struct Row {
    std::vector<std::string> words;
    const char* want;
  };
  for (const auto& [words, want] :
       std::vector<Row>{{{"--speed", "fast"}, "--speed: found 'fast', must be a number from 120 to 1920"},
                        {{"--speed=10"}, "--speed: found '10', must be a number from 120 to 1920"},
                        {{"--speed=nan"}, "--speed: found 'nan', must be a number from 120 to 1920"},
                        {{"--seed", "-1"}, "--seed: found '-1', must be a whole number from 0 on"},
                        {{"--output-dir"}, "option '--output-dir' is missing"},
                        {{"--colour"}, "unknown flag '--colour'"}}) {
    const auto options = parse_demo_options(words);
    ASSERT_FALSE(options) << want;
    EXPECT_TRUE(options.error().error);
    EXPECT_THAT(options.error().text, HasSubstr(want));
  }
  const auto help = parse_demo_options({"--help"});
  ASSERT_FALSE(help);
  EXPECT_FALSE(help.error().error);
  for (const char* flag : {"--output-dir", "--speed", "--seed", "--plain", "--examples-dir"})
    EXPECT_THAT(help.error().text, HasSubstr(flag));
}

TEST(DemoProof, a_real_process_is_waited_for) {
  EXPECT_TRUE(run_program({"/bin/true"}));
  EXPECT_FALSE(run_program({"/bin/false"}));
  EXPECT_FALSE(run_program({"/nowhere/trainer"}));
}

}  // namespace
}  // namespace reprise::apps
