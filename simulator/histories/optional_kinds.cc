#include "simulator/histories/optional_kinds.h"

#include <array>
#include <cmath>
#include <vector>

#include "simulator/faults/own_stream.h"
#include "simulator/histories/chance.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view kGroup = "karpenter.sh";
constexpr const char* kClaims = "nodeclaims";
constexpr const char* kOverlays = "nodeoverlays";
constexpr std::array kPlurals{kClaims, "nodepools", kOverlays};
// NodeOverlays are alpha, and what Karpenter ships without.
constexpr double share_absent_at_first = 0.5, share_without_overlays = 0.5;
constexpr Duration minute{60'000};
// From a definition that is applied anew to somebody who looks for the right chart.
constexpr double shortest = 0.5, longest = 15;

}  // namespace

OptionalKinds::OptionalKinds(Actors& actors, runtime::Random& random, std::uint64_t seed)
    : actors_(actors),
      random_(random),
      without_overlays_(own_stream(seed, "optional-kinds/without-overlays")),
      timers_(actors.cluster.loop) {}

void OptionalKinds::begin() {
  const bool absent = random_.uniform() < share_absent_at_first;
  if (without_overlays_.uniform() < share_without_overlays) {
    never_served_ = kOverlays;
    actors_.cluster.api.serve(actors_.cluster.api.resource(kGroup, kOverlays), false);
  }
  if (!absent) return;
  const Duration installed_after = between(random_, 0.5, 10, minute);
  for (const char* plural : kPlurals)
    if (plural != never_served_) take(plural, installed_after);
}

std::optional<std::string> OptionalKinds::strike() {
  std::vector<std::string> there;
  for (const char* plural : kPlurals)
    if (!gone_.contains(plural) && plural != never_served_) there.emplace_back(plural);
  if (there.empty()) return std::nullopt;
  // The claims as often as the others together: on them hangs what is known of machines.
  const bool claims = !gone_.contains(kClaims) && random_.uniform() < 0.5;
  const std::string plural = claims ? kClaims : pick(random_, there);
  const double minutes = shortest * std::pow(longest / shortest, random_.uniform());
  take(plural, Duration{static_cast<Duration::rep>(minutes * static_cast<double>(minute.count()))});
  return plural;
}

void OptionalKinds::take(const std::string& plural, Duration for_so_long) {
  ApiServer& api = actors_.cluster.api;
  const ResourceId resource = api.resource(kGroup, plural);
  gone_.insert(plural);
  api.serve(resource, false);
  if (plural != kClaims) {
    for (const ObjectPtr& object : api.list(resource))
      static_cast<void>(api.remove({resource, "", name_of(*object)}, {.propagation = Propagation::Background}));
  }
  timers_.after(for_so_long, [this, plural] { bring(plural); });
}

void OptionalKinds::bring(const std::string& plural) {
  if (gone_.erase(plural) == 0) return;
  ApiServer& api = actors_.cluster.api;
  actors_.cluster.log.add("fault", "OptionalKindsGone: " + plural + " are served");
  api.serve(api.resource(kGroup, plural), true);
}

void OptionalKinds::end() {
  timers_.cancel_all();
  while (!gone_.empty()) bring(std::string(*gone_.begin()));
}

}  // namespace reprise::simulator
