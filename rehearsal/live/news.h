// What happened since the last moment, for people.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rehearsal/live/rehearsal_moment.h"

namespace reprise::rehearsal {

// What the operator says of a decision becomes "vision/finetune: Interrupted, <note>"; ids of reconciles are left out
// of whatever else it says. Other lines stay as they are.
[[nodiscard]] std::string readable_news(std::string_view line);

// Lines with their time: the moment's news, then a line for each job that is in another state or attempt than before.
// Made printable.
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
