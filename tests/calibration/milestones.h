// The comparable facts in a sequence of watch events: one fact per line, in the order of the writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/json.h"

namespace reprise::calibration {

struct Milestone {
  int write = 0;  // several facts may come with one write
  std::string kind, fact;
};

// Feeds on pods, nodes, nodeclaims and volumeattachments. Names differ from run to run: the first object of a kind is
// reported as the kind, the second as "pods-2".
class Milestones {
 public:
  // `type`: ADDED, MODIFIED, DELETED; `kind`: the plural.
  void see(std::string_view kind, std::string_view type, const simulator::Value& object);
  [[nodiscard]] const std::vector<Milestone>& all() const { return all_; }

 private:
  struct Seen {
    std::string kind, name, as;
    std::vector<std::string> last;
  };
  Seen& seen(std::string_view kind, std::string_view name);
  void note(Seen& object, const std::vector<std::string>& facts);

  int write_ = 0;
  std::vector<Milestone> all_;
  std::vector<Seen> seen_;
};

// "12 nodeclaims Launched=True/Launched"
[[nodiscard]] std::string to_line(const Milestone& milestone);
[[nodiscard]] Milestone parse_line(const std::string& line);

}  // namespace reprise::calibration
