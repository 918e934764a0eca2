// An answer is parsed from whatever a server sends.
#include "agent/net/answer.h"

#include <gtest/gtest.h>

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;

TEST(Answer, head_is_read_up_to_what_matters) {
  const auto answer = parse_answer_head("HTTP/1.1 429 Too Many Requests\r\nA: b\r\nretry-AFTER:  7 \r\n\r\nbody");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->retry_after, 7s);
  EXPECT_EQ(parse_answer_head("HTTP/1.0 204")->status, 204);
  EXPECT_FALSE(parse_answer_head("HTTP/1.1 503 x\r\nRetry-After: Wed, 21 Oct 2026\r\n")->retry_after);
  EXPECT_FALSE(parse_answer_head("HTTP/1.1 200 OK\r\n\r\nRetry-After: 5\r\n")->retry_after) << "that is the body";
}

TEST(Answer, that_is_none_is_none) {
  for (const char* text :
       {"", "HTTP/1.1", "HTTP/1.1 2 OK", "HTTP/1.1 2045 x", "HTTP/2 204", "SSH-2.0-x", "HTTP/1.1 -04 x"}) {
    EXPECT_FALSE(parse_answer_head(text)) << text;
    EXPECT_FALSE(parse_answer(text)) << text;
  }
}

struct Received {
  const char* what;
  std::string text;
  std::optional<std::string> body;
  bool whole = false;
};

TEST(Answer, body_ends_where_the_head_says) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const Received table[] = {
      {"a length", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nTRUE", "TRUE", true},
      {"more than the length", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nTRUE, or so", "TRUE", true},
      {"less than the length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nTRUE", std::nullopt, false},
      {"a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nTRUE", "TRUE", false},
      {"no length: the connection ends it", "HTTP/1.1 200 OK\r\n\r\nFALSE", "FALSE", false},
      {"nothing to come", "HTTP/1.1 204 No Content\r\n\r\n", "", true},
      {"chunks", chunked + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n", "abc0123456789", true},
      {"chunks, the last one missing", chunked + "3\r\nabc\r\n", std::nullopt, false},
      {"chunks that end in the middle", chunked + "A\r\nabc", std::nullopt, false},
      {"no chunks", chunked + "hello\r\n0\r\n\r\n", std::nullopt, false},
      {"a chunk larger than any memory", chunked + "ffffffffffffffff\r\nabc\r\n0\r\n\r\n", std::nullopt, false},
      {"no end of the head", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n", std::nullopt, false},
      {"no answer at all, of which nothing more is read", "SSH-2.0-x\r\n\r\n", std::nullopt, true},
  };
  for (const Received& row : table) {
    const auto answer = parse_answer(row.text);
    EXPECT_EQ(answer ? std::optional(answer->body) : std::nullopt, row.body) << row.what;
    EXPECT_EQ(is_whole(row.text), row.whole) << row.what;
  }
}

TEST(Answer, reading_ends_with_the_bytes_that_it_may_take) {
  const Reading reading = whole_answer(100);
  EXPECT_FALSE(reading.ends("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nTR"));
  EXPECT_TRUE(reading.ends(std::string(100, 'x')));
}

}  // namespace
}  // namespace reprise::agent
