#include "apps/kubectl-reprise/why/reading/objects.h"

#include <algorithm>

namespace reprise::plugin::why {

const Condition* find(const Conditions& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

const Condition* with_status(const Conditions& conditions, std::string_view type, std::string_view status) {
  const Condition* found = find(conditions, type);
  return found != nullptr && found->status == status ? found : nullptr;
}

bool Objects::saw(std::string_view kind) const {
  return std::ranges::find(unseen, kind, &Unseen::kind) == unseen.end();
}

std::string_view name(Mark mark) {
  switch (mark) {
    case Mark::Ok:
      return "Ok";
    case Mark::Waits:
      return "Waits";
    case Mark::Blocks:
      return "Blocks";
    case Mark::Unseen:
      return "Unseen";
  }
  return {};
}

}  // namespace reprise::plugin::why
