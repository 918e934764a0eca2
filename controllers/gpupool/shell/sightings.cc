#include "controllers/gpupool/shell/sightings.h"

#include <utility>

namespace reprise::controllers::gpupool {

std::map<std::string, Sighting, std::less<>> Sightings::look(
    const std::vector<std::shared_ptr<const api::NodeClaim>>& claims, runtime::Instant now) {
  const bool from_before = !std::exchange(looked_, true);
  std::map<std::string, First, std::less<>> there;
  std::map<std::string, Sighting, std::less<>> seen;
  for (const auto& claim : claims) {
    const std::string uid = claim->meta.uid;
    const auto known = first_.find(uid);
    const First first = known == first_.end() ? First{now, from_before} : known->second;
    there.emplace(uid, first);
    seen.emplace(uid, Sighting{std::chrono::floor<std::chrono::seconds>(now - first.at), first.from_before});
  }
  first_ = std::move(there);
  return seen;
}

}  // namespace reprise::controllers::gpupool
