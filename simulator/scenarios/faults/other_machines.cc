#include "simulator/scenarios/faults/other_machines.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "simulator/actors/support/conditions.h"
#include "simulator/faults/own_stream.h"
#include "simulator/scenarios/people/confirmation.h"

namespace reprise::simulator {
namespace {

constexpr double share_with_others = 0.2, share_labelled = 0.5;
constexpr const char* kNodePool = "theirs";
constexpr Duration minute{60'000};
// The delays of a ticket to those who run the machines, and of their own look at machines that never work.
constexpr Duration asked_for = 10 * minute, never_usable = 25 * minute;
// Shorter when the faults are over: then they have time for it.
constexpr Duration never_usable_at_the_end = 5 * minute;

// Names of each rank that is not proven to have ended, when the job waits for that.
std::set<std::string> waited_for(const Value& job, const char* what) {
  std::set<std::string> names;
  if (!awaited_confirmation(job)) return names;
  for (const Value& rank : array(job, {"status", "members"}))
    if (const std::string_view proof = text(rank, {"proof"}); proof.empty() || proof == "None")
      names.emplace(text(rank, {what}));
  return names;
}

std::vector<ObjectPtr> jobs(const Actors& actors) {
  return actors.cluster.api.list(actors.cluster.api.resource("reprise.dev", "resumablejobs"));
}

}  // namespace

void draw_other_machines(std::uint64_t seed, Workload& workload) {
  runtime::SeededRandom random = own_stream(seed, "workload/other-machines");
  const bool wanted = random.uniform() < share_with_others;
  const auto which = static_cast<std::size_t>(random.uniform() * static_cast<double>(workload.jobs.size()));
  workload.others_bear_the_label = random.uniform() < share_labelled;
  if (!wanted) return;
  workload.jobs[which].other_machines = true;
  workload.jobs[which].pooled = false;
}

OtherMachines::OtherMachines(Actors& actors, const Workload& workload)
    : actors_(actors),
      labelled_(workload.others_bear_the_label),
      until_(workload.length),
      timers_(actors.cluster.loop) {
  if (std::ranges::any_of(workload.jobs, &JobPlan::other_machines)) look();
}

void OtherMachines::make_node_pool() {
  const ApiServer& api = actors_.cluster.api;
  if (api.get({actors_.kinds.node_pools, "", kNodePool})) return;
  JsonObject labels{{kOtherMachinesLabel, "true"}};
  if (labelled_) labels["reprise.dev/pool"] = kPoolName;
  const auto taint = [](std::string_view key) {
    return JsonObject{{"key", key}, {"value", "true"}, {"effect", "NoSchedule"}};
  };
  const auto in = [](const char* key, const char* value) {
    return JsonObject{{"key", key}, {"operator", "In"}, {"values", JsonArray{value}}};
  };
  JsonObject spec{{"weight", 1},
                  {"disruption", JsonObject{{"consolidationPolicy", "WhenEmpty"},
                                            {"consolidateAfter", "60s"},
                                            {"budgets", JsonArray{JsonObject{{"nodes", "100%"}}}}}}};
  spec["template"] = JsonObject{
      {"metadata", JsonObject{{"labels", std::move(labels)}}},
      {"spec", JsonObject{{"nodeClassRef",
                           JsonObject{{"group", "karpenter.kwok.sh"}, {"kind", "KWOKNodeClass"}, {"name", "default"}}},
                          {"expireAfter", "Never"},
                          {"terminationGracePeriod", "120s"},
                          {"taints", JsonArray{taint("nvidia.com/gpu"), taint(kOtherMachinesLabel)}},
                          {"requirements", JsonArray{in("karpenter.sh/capacity-type", "on-demand"),
                                                     in("node.kubernetes.io/instance-type", "g4dn.xlarge")}}}}};
  static_cast<void>(
      actors_.cluster.api.create(actors_.kinds.node_pools, JsonObject{{"apiVersion", "karpenter.sh/v1"},
                                                                      {"kind", "NodePool"},
                                                                      {"metadata", JsonObject{{"name", kNodePool}}},
                                                                      {"spec", std::move(spec)}}));
}

bool OtherMachines::is_theirs(const Value& claim) const {
  return text(claim, {"metadata", "labels", kNodePoolLabel}) == kNodePool;
}

void OtherMachines::end_when_late(const Value& claim, bool so, Duration idle_timeout) {
  const std::string name(name_of(claim));
  if (!so) {
    since_.erase(name);
    return;
  }
  const Duration now = actors_.cluster.loop.now();
  if (now - since_.try_emplace(name, now).first->second < idle_timeout) return;
  actors_.cluster.log.add("person", "ends the machine of " + name);
  actors_.delete_node_claim(name);
}

// Confirms in a person's place: when Node and claim had come and gone before any operator saw them, only a person
// knows.
void OtherMachines::confirm_when_gone(const Value& job) {
  if (!text(job, {"spec", "poolName"}).empty()) return;
  const std::set<std::string> nodes = waited_for(job, "nodeName");
  const bool gone = !nodes.empty() && std::ranges::all_of(nodes, [this](const std::string& node) {
    const Instance* instance = actors_.cloud.of_node(node);
    return !node.empty() && (instance == nullptr || instance->ended);
  });
  const std::string key = "job/" + std::string(uid_of(job));
  if (!gone) {
    since_.erase(key);
    return;
  }
  const Duration now = actors_.cluster.loop.now();
  if (now - since_.try_emplace(key, now).first->second < asked_for) return;
  actors_.cluster.log.add("person", "confirms that the machines of " + std::string(name_of(job)) + " are gone");
  confirm(actors_.cluster.api, namespace_of(job), name_of(job), *awaited_confirmation(job));
}

void OtherMachines::look() {
  make_node_pool();
  const Duration late = actors_.cluster.loop.now() < until_ ? never_usable : never_usable_at_the_end;
  std::set<std::string> claims;
  for (const ObjectPtr& job : jobs(actors_)) claims.merge(waited_for(*job, "nodeClaimName"));
  for (const ObjectPtr& claim : actors_.cluster.api.list(actors_.kinds.node_claims)) {
    if (!is_theirs(*claim) || being_deleted(*claim)) continue;
    const bool usable = is_true(*claim, "Initialized");
    end_when_late(*claim, !usable || claims.contains(std::string(name_of(*claim))), usable ? asked_for : late);
  }
  for (const ObjectPtr& job : jobs(actors_)) confirm_when_gone(*job);
  timers_.after(minute, [this] { look(); });
}

}  // namespace reprise::simulator
