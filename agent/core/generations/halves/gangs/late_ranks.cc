#include "agent/core/generations/halves/gangs/late_ranks.h"

#include <map>
#include <optional>
#include <tuple>

#include "agent/formats/name_numbers.h"

namespace reprise::agent {
namespace {

struct FirstSave {
  std::int64_t step = 0;
  bool is_over = false;
};

}  // namespace

std::set<std::string> late_shares(const MadeCheckpoints& made) {
  std::set<std::string> shares;
  std::map<std::tuple<std::string, std::int32_t, std::string>, FirstSave> first;  // by jobs, attempts and families
  for (const MadeCheckpoint& each : made) {
    const SaveName says = read_save_name(each.name);
    if (!each.gang.is_alone() || !says.likely) continue;
    const std::tuple key(each.job_uid, each.attempt, says.family);
    if (!each.doubtful) {
      FirstSave& save = first.try_emplace(key, FirstSave{.step = *says.likely}).first->second;
      save.is_over = save.is_over || save.step != *says.likely;
    } else if (const auto save = first.find(key); save != first.end()) {
      if (!save->second.is_over && save->second.step == *says.likely) shares.insert(says.share);
    }
  }
  return shares;
}

}  // namespace reprise::agent
