// The trainer's command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reprise::example {

enum class OnTerm { Save, Exit, Ignore };

struct Options {
  std::string data;
  std::string dir;
  std::int64_t steps = 0;
  std::int64_t save_every = 0;  // 0: only when asked
  std::int64_t step_milliseconds = 0;
  OnTerm on_sigterm = OnTerm::Save;
  int exit_code = 143;  // after SIGTERM
};

// Empty when the words are no command line of the trainer; `problem` then says why, and what the flags are.
[[nodiscard]] std::optional<Options> read_options(const std::vector<std::string>& words, std::string& problem);

}  // namespace reprise::example
