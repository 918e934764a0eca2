#include "agent/core/generations/halves/words/unclear_words.h"

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {

std::optional<std::int64_t> number_of_unknown_word(const std::string& name) {
  const SaveName says = read_save_name(name);
  if (says.step || says.likely) return std::nullopt;
  std::optional<std::int64_t> only;
  for (const NameNumber& each : numbers_in(last_part(name))) {
    if (each.counts == NameNumber::Counts::Parts) continue;
    if (only || each.counts != NameNumber::Counts::Unknown || !each.value) return std::nullopt;
    only = each.value;
  }
  return only;
}

}  // namespace reprise::agent
