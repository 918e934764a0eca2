// Events since the last moment, for people.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rehearsal/live/rehearsal_moment.h"

namespace reprise::rehearsal {

// Turns the operator's line about a decision into "vision/finetune: Interrupted, <note>", and leaves ids of reconciles
// out of its other lines. Lines of others stay as they are.
[[nodiscard]] std::string readable_news(std::string_view line);

// Writes lines with their time: the moment's news, then a line for each job whose state or attempt has changed. Made
// printable.
class NewsWriter {
 public:
  [[nodiscard]] std::vector<std::string> lines_of(const RehearsalMoment& moment);

 private:
  struct Seen {
    std::string state;
    std::int64_t attempt = 0;
    bool operator==(const Seen&) const = default;
  };
  std::map<std::string, Seen> jobs_;
};

}  // namespace reprise::rehearsal
