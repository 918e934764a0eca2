#include "agent/core/ends/told_end.h"

namespace reprise::agent {

std::optional<ToldEnd> told_at_end(std::string_view lines, const ProgressPattern& pattern) {
  std::optional<ToldEnd> told;
  while (!lines.empty()) {
    const std::size_t end = lines.find_first_of("\r\n");
    const auto note = pattern.find(lines.substr(0, end));
    if (note && note->step && note->total_steps && !note->of_other_work && !note->of_one_epoch)
      told = ToldEnd{.step = *note->step, .total_steps = *note->total_steps};
    if (end == std::string_view::npos) break;
    lines.remove_prefix(end + 1);
  }
  return told;
}

}  // namespace reprise::agent
