#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

using runtime::Method;
using runtime::Request;

constexpr std::string_view kClaims = "/apis/karpenter.sh/v1/nodeclaims/";

// The NodeClaim that the request would delete.
ObjectPtr claim_to_go(const ApiServer& api, ResourceId claims, const Request& request) {
  const std::string_view path = request.path_and_query;
  if (request.method != Method::Delete || !path.starts_with(kClaims)) return nullptr;
  const std::string_view name = path.substr(kClaims.size());
  return api.get({claims, "", name.substr(0, name.find('?'))});
}

struct Waiting {
  ObjectPtr job;
  std::string pod_uid;
};

// The ranks that are not proven to have ended and ran on that claim's machine.
std::vector<Waiting> ranks_on(const ApiServer& api, ResourceId jobs, const Value& claim) {
  std::vector<Waiting> found;
  for (const ObjectPtr& job : api.list(jobs)) {
    for (const Value& rank : array(*job, {"status", "members"})) {
      const std::string_view proof = text(rank, {"proof"});
      const bool open = proof.empty() || proof == "None";
      if (open && text(rank, {"nodeClaimUID"}) == uid_of(claim))
        found.push_back({job, std::string(text(rank, {"podUID"}))});
    }
  }
  return found;
}

bool shows_a_start(const Value& pod) {
  for (const char* part : {"initContainerStatuses", "containerStatuses"})
    for (const Value& each : array(pod, {"status", part}))
      if (find(each, {"state", "waiting"}) == nullptr) return true;
  return false;
}

class SparesSoundMachines final : public Invariant {
 public:
  explicit SparesSoundMachines(const ApiServer& api)
      : api_(api),
        pods_(api.resource("", "pods")),
        jobs_(api.resource("reprise.dev", "resumablejobs")),
        claims_(api.resource("karpenter.sh", "nodeclaims")) {}
  [[nodiscard]] std::string_view name() const override { return "spares-sound-machines"; }

  void on_change(const ObjectChange& change, const Objection& /*object_to*/) override {
    if (change.resource != pods_ || change.change == Change::Deleted) return;
    const Value& pod = *change.object;
    const std::string uid(uid_of(pod));
    if (shows_a_start(pod)) started_.insert(uid);
    const bool rejected = text(pod, {"status", "message"}).starts_with("Pod was rejected: ");
    const bool marked_failed = text(pod, {"status", "reason"}) == "AttemptEnded";
    if ((rejected || marked_failed) && text(pod, {"status", "phase"}) == "Failed") said_at_.try_emplace(uid, ++moment_);
  }

  void on_request(std::string_view who, const Request& request, const Objection& object_to) override {
    // A list shows the end of all that it leaves out: earlier events may never have been heard.
    const std::string_view path = request.path_and_query;
    const bool lists = path.starts_with("/api/v1/pods?") && !path.contains("resourceVersion=");
    if (request.method == Method::Get && lists) listed_at_[std::string(who)] = ++moment_;
    const ObjectPtr claim = claim_to_go(api_, claims_, request);
    if (!claim) return;
    const std::vector<Waiting> ranks = ranks_on(api_, jobs_, *claim);
    for (const Waiting& rank : ranks)
      if (!known_to_have_never_run(rank.pod_uid, listed_at_[std::string(who)])) return;
    if (!ranks.empty())
      object_to(std::string(who) + " asks NodeClaim " + std::string(name_of(*claim)) + " to go for job " +
                std::string(name_of(*ranks.front().job)) + ", whose pods there never ran");
  }

 private:
  [[nodiscard]] bool known_to_have_never_run(const std::string& pod_uid, std::uint64_t since) const {
    const auto said = said_at_.find(pod_uid);
    return said != said_at_.end() && said->second > since && !started_.contains(pod_uid);
  }

  const ApiServer& api_;
  ResourceId pods_, jobs_, claims_;
  std::uint64_t moment_ = 0;
  std::set<std::string> started_;                                // uids of pods
  std::map<std::string, std::uint64_t> said_at_;                 // by uid of the pod
  std::map<std::string, std::uint64_t, std::less<>> listed_at_;  // by operator
};

class EndsOwnMachines final : public Invariant {
 public:
  explicit EndsOwnMachines(const ApiServer& api)
      : api_(api),
        jobs_(api.resource("reprise.dev", "resumablejobs")),
        claims_(api.resource("karpenter.sh", "nodeclaims")),
        node_pools_(api.resource("karpenter.sh", "nodepools")) {}
  [[nodiscard]] std::string_view name() const override { return "ends-own-machines"; }

  void on_request(std::string_view who, const Request& request, const Objection& object_to) override {
    const ObjectPtr claim = claim_to_go(api_, claims_, request);
    if (!claim) return;
    const std::vector<Waiting> ranks = ranks_on(api_, jobs_, *claim);
    // A machine from a NodePool that no GpuPool made is somebody else's, whatever labels it bears.
    const ObjectPtr node_pool =
        api_.get({node_pools_, "", text(*claim, {"metadata", "labels", "karpenter.sh/nodepool"})});
    if (node_pool && !is_a_pool_s(*node_pool))
      return object_to(std::string(who) + " asks NodeClaim " + std::string(name_of(*claim)) +
                       " to go, which is somebody else's");
    if (condition(*claim, "Drifted") == "True") return;  // for nobody's sake: see rolls-no-trainer
    const std::string_view pool = text(*claim, {"metadata", "labels", "reprise.dev/pool"});
    for (const Waiting& rank : ranks)
      if (text(*rank.job, {"spec", "poolName"}) == pool && !pool.empty()) return;
    if (!ranks.empty())
      object_to(std::string(who) + " asks NodeClaim " + std::string(name_of(*claim)) + " to go for job " +
                std::string(name_of(*ranks.front().job)) + ", which does not use its pool");
  }

 private:
  [[nodiscard]] static bool is_a_pool_s(const Value& node_pool) {
    const auto& owners = array(node_pool, {"metadata", "ownerReferences"});
    return std::ranges::any_of(owners, [](const Value& each) { return text(each, {"kind"}) == "GpuPool"; });
  }

  const ApiServer& api_;
  ResourceId jobs_, claims_, node_pools_;
};

}  // namespace

std::unique_ptr<Invariant> spares_sound_machines(const ApiServer& api) {
  return std::make_unique<SparesSoundMachines>(api);
}

std::unique_ptr<Invariant> ends_own_machines(const ApiServer& api) {
  return std::make_unique<EndsOwnMachines>(api);
}

}  // namespace reprise::simulator
