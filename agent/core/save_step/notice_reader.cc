#include "agent/core/save_step/notice_reader.h"

#include <algorithm>
#include <limits>

#include "agent/json/json.h"

namespace reprise::agent {
namespace {

pid_t pid_in(std::int64_t number) {
  return number > 0 && number <= std::numeric_limits<pid_t>::max() ? static_cast<pid_t>(number) : 0;
}

}  // namespace

std::optional<NoticeReader> parse_notice_reader(std::string_view progress_file) {
  const auto object = parse_object(progress_file);
  if (!object || !flag_of(*object, "savesOnNotice").value_or(false)) return std::nullopt;
  const auto step = number_of(*object, "step");
  // Read while it was being written, where the two differ.
  if (!step || *step < 0 || *step > kMostSteps || number_of(*object, "sameStep").value_or(*step) != *step)
    return std::nullopt;
  return NoticeReader{.step = *step,
                      .processes = std::max<std::int64_t>(1, number_of(*object, "worldSize").value_or(1)),
                      .here = std::max<std::int64_t>(1, number_of(*object, "localWorldSize").value_or(1)),
                      .pid = pid_in(number_of(*object, "pid").value_or(0))};
}

}  // namespace reprise::agent
