// Where reports go, how answers are read, and when the next report may be tried.
#include "agent/process/report_pace.h"

#include <gtest/gtest.h>

#include "agent/process/report_address.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;

const runtime::Instant kThen{1h};

TEST(report_pace, waits_ever_longer_after_failures_and_not_at_all_after_a_success) {
  ReportPace pace(10s);
  auto now = kThen;
  for (const auto wait : {10s, 20s, 40s, 80s, 160s, 300s, 300s}) {
    pace.answered({.status = 500}, now);
    EXPECT_FALSE(pace.may_send(now + wait - 1ms));
    EXPECT_TRUE(pace.may_send(now + wait));
    now += wait;
  }
  pace.answered({.status = 204}, now);
  EXPECT_TRUE(pace.may_send(now));
  pace.answered({}, now);
  EXPECT_TRUE(pace.may_send(now + 10s));
}

TEST(report_pace, waits_as_long_as_it_is_told_but_no_longer_than_a_minute) {
  ReportPace pace(10s);
  pace.answered({.status = 429, .retry_after = 3s}, kThen);
  EXPECT_FALSE(pace.may_send(kThen + 2s));
  EXPECT_TRUE(pace.may_send(kThen + 3s));
  pace.answered({.status = 503, .retry_after = 7200s}, kThen);
  EXPECT_FALSE(pace.may_send(kThen + 59s));
  EXPECT_TRUE(pace.may_send(kThen + 60s));
  pace.answered({.status = 503}, kThen);
  EXPECT_FALSE(pace.may_send(kThen + 9s));
}

TEST(report_pace, of_many_ranks_is_slowed_down_by_the_operator_that_takes_their_reports) {
  ReportPace pace(10s);
  pace.answered({.status = 204, .retry_after = 30s}, kThen);
  EXPECT_FALSE(pace.may_send(kThen + 29s));
  EXPECT_TRUE(pace.may_send(kThen + 30s));
  pace.answered({.status = 204, .retry_after = 10s}, kThen);
  EXPECT_TRUE(pace.may_send(kThen + 1s)) << "news need not wait for what is the usual time";
  pace.answered({.status = 204, .retry_after = 7200s}, kThen);
  EXPECT_TRUE(pace.may_send(kThen + 60s));
}

TEST(report_answer, is_read_up_to_what_matters) {
  const auto answer = parse_report_answer("HTTP/1.1 429 Too Many Requests\r\nA: b\r\nretry-AFTER:  7 \r\n\r\nbody");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->retry_after, 7s);
  EXPECT_EQ(parse_report_answer("HTTP/1.0 204")->status, 204);
  EXPECT_FALSE(parse_report_answer("HTTP/1.1 503 x\r\nRetry-After: Wed, 21 Oct 2026\r\n")->retry_after);
}

TEST(report_answer, that_is_none_is_none) {
  for (const char* text :
       {"", "HTTP/1.1", "HTTP/1.1 2 OK", "HTTP/1.1 2045 x", "HTTP/2 204", "SSH-2.0-x", "HTTP/1.1 -04 x"})
    EXPECT_FALSE(parse_report_answer(text)) << text;
}

TEST(report_address, is_an_address_and_a_port) {
  const auto four = parse_report_url("https://10.96.0.12:9446");
  ASSERT_TRUE(four);
  EXPECT_EQ(four->get()->sa_family, AF_INET);
  EXPECT_EQ(four->text, "10.96.0.12:9446");
  const auto six = parse_report_url("https://[fd00::12]:9446/");
  ASSERT_TRUE(six);
  EXPECT_EQ(six->get()->sa_family, AF_INET6);
  EXPECT_EQ(six->text, "[fd00::12]:9446");
}

TEST(report_address, is_nothing_else) {
  for (const char* url :
       {"", "10.96.0.12:9446", "http://10.96.0.12:9446", "https://10.96.0.12", "https://operator:9446",
        "https://fd00::12:9446", "https://10.96.0.12:0", "https://10.96.0.12:70000", "https://10.96.0.12:9446/v1",
        "https://user@10.96.0.12:9446", "https://[10.0.0.1]:9446"})
    EXPECT_FALSE(parse_report_url(url)) << url;
}

}  // namespace
}  // namespace reprise::agent
