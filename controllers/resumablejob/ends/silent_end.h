// Doubts about an end that is one by its exit codes: the job is Complete, and says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/resumablejob/decide/observation.h"
#include "controllers/resumablejob/ranks/ranks.h"

namespace reprise::controllers::resumablejob {

struct SilentEnd {
  std::string reason = "Completed";  // without a doubt; or "EndedShort", "NothingTrained"
  std::string message;
};
// True when that reason of a complete job's end tells of a doubt: for people, and nothing is decided by it.
[[nodiscard]] bool is_doubtful(std::string_view reason);
// To be called when all ranks have ended with 0.
[[nodiscard]] SilentEnd how_it_completed(const Observation& seen, const std::vector<Rank>& ranks);

}  // namespace reprise::controllers::resumablejob
