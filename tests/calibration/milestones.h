// What a sequence of watch events says that is worth comparing: one fact per line, in the order of the writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/json.h"

namespace reprise::calibration {

struct Milestone {
  int write = 0;  // several facts may come with one write
  std::string kind, fact;
};

// Feeds on pods, nodes and nodeclaims; one object of each kind is expected to matter.
class Milestones {
 public:
  // `type`: ADDED, MODIFIED, DELETED; `kind`: the plural.
  void see(std::string_view kind, std::string_view type, const simulator::Value& object);
  [[nodiscard]] const std::vector<Milestone>& all() const { return all_; }

 private:
  void note(std::string_view kind, const std::vector<std::string>& facts);

  int write_ = 0;
  std::vector<Milestone> all_;
  std::vector<std::pair<std::string, std::vector<std::string>>> last_;  // by kind
};

// "12 nodeclaims Launched=True/Launched"
[[nodiscard]] std::string to_line(const Milestone& milestone);
[[nodiscard]] Milestone parse_line(const std::string& line);

}  // namespace reprise::calibration
