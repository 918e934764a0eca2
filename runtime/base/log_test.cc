#include "runtime/base/log.h"

#include <gtest/gtest.h>

#include "runtime/base/log_sampler.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;

struct TestClock final : Clock {
  [[nodiscard]] WallTime wall() const override { return {}; }
  [[nodiscard]] Instant steady() const override { return now; }
  Instant now{std::chrono::hours(1)};
};

struct Lines final : Logger {
  void log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    seen.push_back(format_log_line(LogFormat::Text, message, fields));
  }
  [[nodiscard]] bool enabled(LogLevel level) const override { return level >= lowest; }
  bool set_level(LogLevel level) override {
    lowest = level;
    return true;
  }
  std::vector<std::string> seen;
  LogLevel lowest = LogLevel::Info;
};

struct Sampled : ::testing::Test {
  Sampled() {
    auto owned = std::make_unique<Lines>();
    lines = owned.get();
    logger = std::make_unique<SamplingLogger>(std::move(owned), clock);
  }
  TestClock clock;
  Lines* lines = nullptr;
  std::unique_ptr<SamplingLogger> logger;
};

TEST(Log, a_line_is_json_or_text_with_its_fields_in_order) {
  EXPECT_EQ(format_log_line(LogFormat::Json, "It \"happened\"", {{"name", "a\nb"}, {"empty", ""}}),
            R"("msg":"It \"happened\"","name":"a\nb","empty":"")");
  EXPECT_EQ(format_log_line(LogFormat::Text, "It happened", {{"name", "a b"}, {"plain", "x"}, {"empty", ""}}),
            R"(It happened name="a b" plain=x empty="")");
}

TEST(Log, no_field_forges_a_second_line) {
  for (const char* value : {"a\nlevel=error", "a\rb", "a\r\nb"}) {
    for (const LogFormat format : {LogFormat::Json, LogFormat::Text}) {
      const std::string line = format_log_line(format, "It happened", {{"name", value}});
      EXPECT_EQ(line.find_first_of("\r\n"), std::string::npos) << line;
    }
  }
}

TEST(Log, tokens_are_left_out_wherever_they_stand) {
  const std::string jwt = "eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ.eyJpc3MiOiJrdWJlcm5ldGVzIn0.c2lnbmF0dXJl-_x";
  for (const std::string& value :
       {std::string("sent Authorization: Bearer s3cr3t-t0k3n, refused"), std::string("Bearer s3cr3t-t0k3n"), jwt,
        "token \"" + jwt + "\" is bad", "Bearer " + jwt, "a=" + jwt + ";b=Bearer s3cr3t-t0k3n"}) {
    for (const LogFormat format : {LogFormat::Json, LogFormat::Text}) {
      const std::string line = format_log_line(format, "It happened", {{"error", value}});
      EXPECT_EQ(line.find("s3cr3t"), std::string::npos) << line;
      EXPECT_EQ(line.find("c2lnbmF0dXJl"), std::string::npos) << line;
      EXPECT_NE(line.find("<token>"), std::string::npos) << line;
    }
  }
  EXPECT_EQ(without_tokens("the monkeyJoe bore a Bearer"), "the monkeyJoe bore a Bearer");
}

TEST(Log, levels_have_names_that_are_read_back) {
  for (const LogLevel level : {LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error}) {
    EXPECT_EQ(parse_log_level(name(level)), level);
  }
  EXPECT_FALSE(parse_log_level("loud"));
  EXPECT_FALSE(parse_log_level(""));
}

TEST(Log, the_level_changes_while_it_runs) {
  const auto logger = make_stderr_logger(LogLevel::Info, LogFormat::Json);
  EXPECT_FALSE(logger->enabled(LogLevel::Debug));
  EXPECT_TRUE(logger->set_level(LogLevel::Debug));
  EXPECT_TRUE(logger->enabled(LogLevel::Debug));
  EXPECT_FALSE(make_null_logger()->set_level(LogLevel::Debug));
}

TEST_F(Sampled, what_is_said_seldom_is_always_heard) {
  for (int i = 0; i < 1000; ++i) {
    logger->info("Now and then");
    clock.now += seconds(1);
  }
  EXPECT_EQ(lines->seen.size(), 1000U);
  EXPECT_EQ(logger->left_out(), 0U);
}

TEST_F(Sampled, a_loop_is_heard_a_hundred_times_a_second_and_then_one_in_a_hundred) {
  for (int i = 0; i < 10'000; ++i) logger->error("It failed", {{"name", std::to_string(i)}});
  EXPECT_EQ(lines->seen.size(), 100U + 99U);
  EXPECT_EQ(logger->left_out(), 10'000U - 199U);
  logger->error("Another thing");
  EXPECT_EQ(lines->seen.back(), "Another thing");
}

TEST_F(Sampled, what_was_left_out_is_said_when_the_line_comes_again) {
  for (int i = 0; i < 150; ++i) logger->error("It failed");
  clock.now += seconds(1);
  logger->error("It failed");
  ASSERT_EQ(lines->seen.size(), 102U);
  EXPECT_EQ(lines->seen[100], "Left out lines that repeat line=\"It failed\" count=50");
  EXPECT_EQ(lines->seen[101], "It failed");
}

TEST_F(Sampled, lines_below_the_level_cost_nothing_and_the_level_is_the_inner_ones) {
  for (int i = 0; i < 1000; ++i) logger->log(LogLevel::Debug, "Detail", {});
  EXPECT_EQ(logger->left_out(), 0U);
  EXPECT_TRUE(logger->set_level(LogLevel::Debug));
  logger->debug("Detail");
  EXPECT_EQ(lines->seen.size(), 1U);
}

TEST_F(Sampled, ever_new_messages_do_not_grow_without_end) {
  for (int i = 0; i < 5000; ++i) logger->info("Message " + std::to_string(i));
  EXPECT_EQ(lines->seen.size(), 5000U);
}

}  // namespace
}  // namespace reprise::runtime
