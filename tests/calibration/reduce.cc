// Reads what tests/calibration/record prints, writes its milestones.
#include <boost/json/parse.hpp>
#include <iostream>
#include <string>

#include "tests/calibration/milestones.h"

int main() {
  reprise::calibration::Milestones milestones;
  for (std::string line; std::getline(std::cin, line);) {
    const auto entry = boost::json::parse(line);
    if (const auto about = reprise::simulator::text(entry, {"about"}); !about.empty()) {
      std::cout << "# " << about << "\n";
      continue;
    }
    const std::string_view kind = reprise::simulator::text(entry, {"kind"});
    // The node of the cluster itself is no part of it.
    const auto* object = reprise::simulator::find(entry, {"object"});
    if (kind == "events" || object == nullptr) continue;
    if (kind == "nodes" && reprise::simulator::name_of(*object) == "system-0") continue;
    milestones.see(kind, reprise::simulator::text(entry, {"type"}), *object);
  }
  for (const auto& each : milestones.all()) std::cout << to_line(each) << "\n";
}
