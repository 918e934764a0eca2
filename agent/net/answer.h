// The answer of a server by HTTP/1.1. Pure; bad input gives an empty result.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "agent/net/reading.h"

namespace reprise::agent {

struct AnswerHead {
  int status = 0;  // 0: there was no answer
  std::optional<std::chrono::seconds> retry_after = {};
  std::optional<std::size_t> length = {};
  bool chunked = false;
};

// Parses the beginning of an answer, up to the empty line; empty where it is none.
[[nodiscard]] std::optional<AnswerHead> parse_answer_head(std::string_view head);

struct Answer {
  int status = 0;
  std::string body;
  std::optional<std::chrono::seconds> retry_after = {};
  [[nodiscard]] bool is_good() const { return status / 100 == 2; }
};

// Parses all that has been received. Empty where it is no answer, or less than the head says.
[[nodiscard]] std::optional<Answer> parse_answer(std::string_view received);

// True if nothing more is to come. False where the end of the connection says so.
[[nodiscard]] bool is_whole(std::string_view received);

[[nodiscard]] constexpr Reading whole_answer(std::size_t most_bytes) {
  return {.most_bytes = most_bytes, .is_enough = is_whole};
}

}  // namespace reprise::agent
