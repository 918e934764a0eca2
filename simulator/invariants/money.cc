// Money for machines that are of no use.
#include <algorithm>
#include <map>
#include <string>

#include "controllers/prices/money.h"
#include "controllers/prices/node_price.h"
#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

using controllers::prices::MicroUsd;

// What a machine costs at the most before it is given up; where nobody is there to give it up, it is nobody's fault.
constexpr Duration kUntilGivenUp = std::chrono::minutes(15);
// Of the dearest machine of a row: so much beside what was there when the first was given up, and a quarter of the
// time. When Karpenter's kinds are back after they were not served, a gang's machines come at once, and nobody could
// see what had become of the former.
constexpr Duration kFree = std::chrono::minutes(120);
constexpr int kShare = 4;

bool holds(const Value& claim, std::string_view type) {
  return condition(claim, type) == "True";
}

// By the catalogue alone: pools of scenarios have no prices of their own.
MicroUsd per_hour(const Value& claim) {
  kube::ObjectMeta meta;
  for (const auto& [key, value] : object(claim, {"metadata", "labels"}))
    if (value.is_string()) meta.labels[std::string(key)] = std::string(value.as_string());
  return controllers::prices::price_of({}, meta, {}).per_hour;
}

MicroUsd over(MicroUsd price, Duration time) {
  return controllers::prices::over(price, std::chrono::duration_cast<std::chrono::seconds>(time));
}

class MoneyIsBounded final : public Invariant {
 public:
  MoneyIsBounded(const ApiServer& api, const EventLoop& loop)
      : loop_(loop),
        claims_(api.resource("karpenter.sh", "nodeclaims")),
        pools_(api.resource("reprise.dev", "gpupools")) {}
  [[nodiscard]] std::string_view name() const override { return "money-is-bounded"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource == pools_) {
      if (change.before && tried_by(*change.before) != tried_by(*change.object)) rows_.clear();
      return;
    }
    if (change.resource != claims_) return;
    const Value& claim = *change.object;
    const std::string node_pool(text(claim, {"metadata", "labels", "karpenter.sh/nodepool"}));
    const std::string pool(text(claim, {"metadata", "labels", "reprise.dev/pool"}));
    // What somebody else has labelled is not what the pool rents.
    if (pool.empty() || (node_pool != pool + "-spot" && node_pool != pool + "-on-demand")) return;
    const std::string uid(uid_of(claim));
    if (holds(claim, "Initialized")) {
      launched_.erase(uid);
      rows_.erase(node_pool);
      return;
    }
    const bool ends = change.change == Change::Deleted || being_deleted(claim);
    if (holds(claim, "Launched") && !ends) launched_.try_emplace(uid, loop_.now());
    const auto found = launched_.find(uid);
    if (ends && found != launched_.end()) {
      count(node_pool, claim, found->second, object_to);
      launched_.erase(found);
    }
  }

 private:
  // By this and that a person says that it is another matter now.
  static std::string tried_by(const Value& pool) {
    return std::to_string(number(pool, {"metadata", "generation"})) + " " +
           std::string(text(pool, {"metadata", "annotations", "reprise.dev/retry"}));
  }

  void count(const std::string& node_pool, const Value& claim, Duration launched, const Objection& object_to) {
    Row& row = rows_.try_emplace(node_pool, Row{.since = loop_.now()}).first->second;
    row.dearest = std::max(row.dearest, per_hour(claim));
    if (launched < row.since) return;
    row.spent += over(per_hour(claim), std::min(loop_.now() - launched, kUntilGivenUp));
    const MicroUsd most = over(row.dearest, kFree + (loop_.now() - row.since) / kShare);
    if (row.spent > most)
      object_to("NodePool " + node_pool + " has spent " + controllers::prices::format_usd(row.spent) +
                " on machines that never became useful, the last of them NodeClaim " + std::string(name_of(claim)) +
                ", and may have spent " + controllers::prices::format_usd(most) + " since the first was given up");
  }

  struct Row {
    Duration since{};  // the first one was given up
    MicroUsd spent = 0, dearest = 0;
  };
  const EventLoop& loop_;
  ResourceId claims_, pools_;
  std::map<std::string, Duration> launched_;  // by uid of the NodeClaim, of those that are of no use yet
  std::map<std::string, Row> rows_;           // by name of the NodePool
};

}  // namespace

std::unique_ptr<Invariant> money_is_bounded(const ApiServer& api, const EventLoop& loop) {
  return std::make_unique<MoneyIsBounded>(api, loop);
}

}  // namespace reprise::simulator
