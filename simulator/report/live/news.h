// Lines of the event log as news for people.
#pragma once

#include <string>
#include <string_view>

namespace reprise::simulator {

// What the operator says of a decision becomes "vision/finetune: Interrupted, <note>"; ids of reconciles are left out
// of whatever else it says. Other lines stay as they are.
[[nodiscard]] std::string readable_news(std::string_view line);

}  // namespace reprise::simulator
