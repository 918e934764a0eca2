// Money for useless machines.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "controllers/prices/money.h"
#include "controllers/prices/node_price.h"
#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

using controllers::prices::MicroUsd;

// The longest time that a useless machine costs money before it is given up; with no operator to give it up, nobody is
// to blame.
constexpr Duration kUntilGivenUp = std::chrono::minutes(15);
// The bound per row of useless machines, by the dearest of them: so much beside those that were there when the first
// was given up, and a quarter of the time. When Karpenter's kinds are back after they were not served, a gang's
// machines come at once, and nobody could see the fate of the former.
constexpr Duration kFree = std::chrono::minutes(120);
constexpr int kShare = 4;
// A pod that waits longer than this for a machine that is ready is not placed there.
constexpr Duration kPlaced = std::chrono::minutes(1);

bool holds(const Value& claim, std::string_view type) {
  return condition(claim, type) == "True";
}

// Priced by the catalogue alone: pools of scenarios have no prices of their own.
MicroUsd per_hour(const Value& claim) {
  kube::ObjectMeta meta;
  for (const auto& [key, value] : object(claim, {"metadata", "labels"}))
    if (value.is_string()) meta.labels[std::string(key)] = std::string(value.as_string());
  return controllers::prices::price_of({}, meta, {}).per_hour;
}

MicroUsd over(MicroUsd price, Duration time) {
  return controllers::prices::over(price, std::chrono::duration_cast<std::chrono::seconds>(time));
}

// The cost of useless machines of one NodePool, until one was useful.
class Rows {
 public:
  void clear() { rows_.clear(); }
  void erase(const std::string& node_pool) { rows_.erase(node_pool); }

  void count(const std::string& node_pool, const Value& claim, Duration launched, Duration now, std::string_view what,
             const Objection& object_to) {
    Row& row = rows_.try_emplace(node_pool, Row{.since = now}).first->second;
    row.dearest = std::max(row.dearest, per_hour(claim));
    if (launched < row.since) return;
    row.spent += over(per_hour(claim), std::min(now - launched, kUntilGivenUp));
    const MicroUsd most = over(row.dearest, kFree + (now - row.since) / kShare);
    if (row.spent > most)
      object_to("NodePool " + node_pool + " has spent " + controllers::prices::format_usd(row.spent) + " on machines " +
                std::string(what) + ", the last of them NodeClaim " + std::string(name_of(claim)) +
                ", and may have spent " + controllers::prices::format_usd(most) + " since the first was given up");
  }

 private:
  struct Row {
    Duration since{};  // the first one was given up
    MicroUsd spent = 0, dearest = 0;
  };
  std::map<std::string, Row> rows_;  // by name of the NodePool
};

bool asks_for_gpus(const Value& pod) {
  for (const Value& container : array(pod, {"spec", "containers"}))
    for (const auto& [resource, quantity] : object(container, {"resources", "limits"}))
      if (std::string_view(resource).starts_with("nvidia.com/")) return true;
  return false;
}

class MoneyIsBounded final : public Invariant {
 public:
  MoneyIsBounded(const ApiServer& api, const EventLoop& loop)
      : loop_(loop),
        claims_(api.resource("karpenter.sh", "nodeclaims")),
        pods_(api.resource("", "pods")),
        pools_(api.resource("reprise.dev", "gpupools")) {}
  [[nodiscard]] std::string_view name() const override { return "money-is-bounded"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource == pods_) return see_pod(change);
    if (change.resource == pools_) {
      if (!change.before || tried_by(*change.before) == tried_by(*change.object)) return;
      useless_.clear();
      idle_.clear();
    } else if (change.resource == claims_) {
      see_claim(change, object_to);
    }
  }

 private:
  struct Machine {
    Duration launched{};
    std::string node = {};  // once it is initialised
  };

  // Changes when a person changes the matter: by an edit or a retry.
  static std::string tried_by(const Value& pool) {
    return std::to_string(number(pool, {"metadata", "generation"})) + " " +
           std::string(text(pool, {"metadata", "annotations", "reprise.dev/retry"}));
  }

  void see_pod(const ObjectChange& change) {
    const Value& pod = *change.object;
    if (!asks_for_gpus(pod)) return;
    const std::string uid(uid_of(pod)), node(text(pod, {"spec", "nodeName"}));
    const bool waits = node.empty() && change.change != Change::Deleted && !being_deleted(pod) &&
                       text(pod, {"status", "phase"}) == "Pending";
    if (waits)
      waiting_.try_emplace(uid, loop_.now());
    else
      waiting_.erase(uid);
    if (!node.empty() && change.change != Change::Deleted) used_.insert(node);
  }

  void see_claim(const ObjectChange& change, const Objection& object_to) {
    const Value& claim = *change.object;
    const std::string node_pool(text(claim, {"metadata", "labels", "karpenter.sh/nodepool"}));
    const std::string pool(text(claim, {"metadata", "labels", "reprise.dev/pool"}));
    // A machine that somebody else has labelled is not rented by the pool.
    if (pool.empty() || (node_pool != pool + "-spot" && node_pool != pool + "-on-demand")) return;
    const std::string uid(uid_of(claim));
    const bool ends = change.change == Change::Deleted || being_deleted(claim);
    if (holds(claim, "Launched") && !ends) machines_.try_emplace(uid, Machine{.launched = loop_.now()});
    const auto found = machines_.find(uid);
    if (found == machines_.end()) return;
    Machine& machine = found->second;
    if (holds(claim, "Initialized") && machine.node.empty()) {
      machine.node = text(claim, {"status", "nodeName"});
      useless_.erase(node_pool);
    }
    const bool was_used = !machine.node.empty() && used_.contains(machine.node);
    if (was_used) idle_.erase(node_pool);
    if (!was_used && !ends) return;
    if (!was_used && machine.node.empty())
      useless_.count(node_pool, claim, machine.launched, loop_.now(), "that never became useful", object_to);
    else if (!was_used && somebody_waits())
      idle_.count(node_pool, claim, machine.launched, loop_.now(), "on which nothing was placed while pods waited",
                  object_to);
    machines_.erase(found);
  }

  [[nodiscard]] bool somebody_waits() const {
    return std::ranges::any_of(waiting_, [&](const auto& each) { return each.second + kPlaced <= loop_.now(); });
  }

  const EventLoop& loop_;
  ResourceId claims_, pods_, pools_;
  std::map<std::string, Machine> machines_;  // by uid of the NodeClaim, of those that are of no use yet
  std::map<std::string, Duration> waiting_;  // by uid of the pod, since when
  std::set<std::string> used_;               // Nodes on which a pod that asks for GPUs was placed
  Rows useless_, idle_;
};

}  // namespace

std::unique_ptr<Invariant> money_is_bounded(const ApiServer& api, const EventLoop& loop) {
  return std::make_unique<MoneyIsBounded>(api, loop);
}

}  // namespace reprise::simulator
