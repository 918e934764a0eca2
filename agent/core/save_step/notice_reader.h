// A trainer that says in its progress file that it reads the notice file, and saves at the step that stands there (the
// Python module in python/): {"step": 120, "savesOnNotice": true, "worldSize": 8, "localWorldSize": 4}.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace reprise::agent {

inline constexpr std::int64_t kMostSteps = 1'000'000'000'000'000;  // more are none

struct NoticeReader {
  std::int64_t step = 0;       // that is done
  std::int64_t processes = 1;  // of the training: all save at one step
  std::int64_t here = 1;       // of them in this pod; one writes over what the others have written
  pid_t pid = 0;               // of who wrote it last: its word counts while it runs; 0: not said
  // Another process of this pod may be so many steps further: each step waits for all of them.
  [[nodiscard]] std::int64_t ahead() const { return here > 1 ? 1 : 0; }
  bool operator==(const NoticeReader&) const = default;
};

// Nothing: the trainer does not say so.
[[nodiscard]] std::optional<NoticeReader> parse_notice_reader(std::string_view progress_file);

}  // namespace reprise::agent
