#include "simulator/scenarios/faults/optional_kinds.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "simulator/actors/support/finalizers.h"
#include "simulator/faults/own_stream.h"
#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view kGroup = "karpenter.sh";
constexpr const char* kClaims = "nodeclaims";
constexpr const char* kOverlays = "nodeoverlays";
constexpr std::array kPlurals{kClaims, "nodepools", kOverlays};
// NodeOverlays are alpha, and Karpenter ships without them.
constexpr double share_absent_at_first = 0.5, share_without_overlays = 0.5;
constexpr Duration minute{60'000};
// The absence of a kind, in minutes: a definition is applied anew at once, or somebody looks for the right chart.
constexpr double shortest = 0.5, longest = 15;
constexpr double share_taken_along = 0.5, share_cut_off = 0.6;
// Minutes after the definition is back for which cut-off machines go on, and after which they are collected.
constexpr double cut_off_from = 3, cut_off_to = 25, collected_from = 1, collected_to = 20;

}  // namespace

OptionalKinds::OptionalKinds(Actors& actors, runtime::Random& random, std::uint64_t seed)
    : actors_(actors),
      random_(random),
      of_claims_(own_stream(seed, "OptionalKindsGone/claims")),
      without_overlays_(own_stream(seed, "optional-kinds/without-overlays")),
      timers_(actors.cluster.loop),
      collecting_(actors.cluster.loop) {}

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

std::optional<std::string> OptionalKinds::inject() {
  std::vector<std::string> there;
  for (const char* plural : kPlurals)
    if (!gone_.contains(plural) && plural != never_served_) there.emplace_back(plural);
  if (there.empty()) return std::nullopt;
  // Takes claims as often as the others together: all that is known of machines hangs on them.
  const bool claims = !gone_.contains(kClaims) && random_.uniform() < 0.5;
  const std::string plural = claims ? kClaims : pick(random_, there);
  const double minutes = shortest * std::pow(longest / shortest, random_.uniform());
  take(plural, Duration{static_cast<Duration::rep>(minutes * static_cast<double>(minute.count()))});
  if (plural != kClaims || of_claims_.uniform() >= share_taken_along) return plural;
  cut_off_some();
  claimless_ = true;
  return plural + ", with all there are";
}

void OptionalKinds::cut_off_some() {
  for (const auto& [name, kubelet] : actors_.kubelets.all()) {
    if (!kubelet->speaks() || kubelet->runs().empty() || of_claims_.uniform() >= share_cut_off) continue;
    silent_.insert(name);
    actors_.silence(name);
    timers_.after(between(of_claims_, cut_off_from, cut_off_to, minute), [this, machine = name] { speak(machine); });
  }
}

void OptionalKinds::speak(const std::string& machine) {
  if (silent_.erase(machine) > 0) actors_.silence(machine, false);
}

void OptionalKinds::take_claims_along() {
  ApiServer& api = actors_.cluster.api;
  for (const ObjectPtr& claim : api.list(actors_.kinds.node_claims)) {
    const ObjectAddress address{actors_.kinds.node_claims, "", name_of(*claim)};
    static_cast<void>(api.update(address, [](Value& value) { unset(value, {"metadata", "finalizers"}); }));
    static_cast<void>(api.remove(address, {.propagation = Propagation::Background}));
  }
}

// Spares machines whose claim is yet to be written.
void OptionalKinds::collect_machines() {
  if (!std::exchange(claimless_, false)) return;
  ApiServer& api = actors_.cluster.api;
  std::vector<std::string> ids;
  for (const auto& [id, instance] : actors_.cloud.instances())
    if (!instance.ended && !api.get({actors_.kinds.node_claims, "", instance.node})) ids.push_back(id);
  for (const std::string& id : ids) actors_.cloud.terminate(id);
  collect_nodes();
}

// A Node whose claim is gone keeps Karpenter's finalizer until a person takes it off.
void OptionalKinds::collect_nodes() {
  ApiServer& api = actors_.cluster.api;
  bool waits = false;
  for (const auto& [id, instance] : actors_.cloud.instances()) {
    const ObjectPtr node = api.get({actors_.kinds.nodes, "", instance.node});
    if (!node || api.get({actors_.kinds.node_claims, "", instance.node})) continue;
    if (text(*node, {"spec", "providerID"}) != id) continue;
    if (instance.ended) actors_.delete_node_object(instance.node);
    waits = waits || !instance.ended;
  }
  if (waits) collecting_.after(minute / 4, [this] { collect_nodes(); });
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
  // Claims that cannot be seen meanwhile may as well go at the end.
  const bool empty = plural == kClaims && claimless_;
  if (empty) take_claims_along();
  api.serve(api.resource(kGroup, plural), true);
  if (empty) timers_.after(between(of_claims_, collected_from, collected_to, minute), [this] { collect_machines(); });
}

void OptionalKinds::end() {
  timers_.cancel_all();
  while (!gone_.empty()) bring(std::string(*gone_.begin()));
  timers_.cancel_all();
  while (!silent_.empty()) speak(std::string(*silent_.begin()));
  collect_machines();
}

}  // namespace reprise::simulator
