#include <map>
#include <set>
#include <string>
#include <utility>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view kDisrupted = "karpenter.sh/disrupted";
// A new leader does not know what the last one has just seen.
constexpr std::size_t kMost = 2;

class FewLandOnLeavingNodes final : public Invariant {
 public:
  explicit FewLandOnLeavingNodes(const ApiServer& api)
      : api_(api), pods_(api.resource("", "pods")), nodes_(api.resource("", "nodes")) {}
  [[nodiscard]] std::string_view name() const override { return "few-land-on-leaving-nodes"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource != pods_ || change.change != Change::Modified) return;
    const Value& pod = *change.object;
    const std::string_view node_name = text(pod, {"spec", "nodeName"});
    const std::string attempt(text(pod, {"metadata", "labels", "reprise.dev/attempt"}));
    if (attempt.empty() || node_name.empty() || !text(*change.before, {"spec", "nodeName"}).empty()) return;
    const ObjectPtr node = api_.get({nodes_, "", node_name});
    if (!node || !is_tainted(*node)) return;
    const std::string job(text(pod, {"metadata", "labels", "reprise.dev/job-uid"}));
    auto& attempts = landed_[{job, std::string(uid_of(*node))}];
    if (attempts.insert(attempt).second && attempts.size() > kMost)
      object_to("pod " + std::string(name_of(pod)) + " is bound to node " + std::string(node_name) +
                ", which is being taken away, as were " + std::to_string(kMost) + " attempts before");
  }

 private:
  [[nodiscard]] static bool is_tainted(const Value& node) {
    for (const Value& taint : array(node, {"spec", "taints"}))
      if (text(taint, {"key"}) == kDisrupted) return true;
    return false;
  }

  const ApiServer& api_;
  ResourceId pods_, nodes_;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> landed_;  // attempts, by job's and Node's uid
};

}  // namespace

std::unique_ptr<Invariant> few_land_on_leaving_nodes(const ApiServer& api) {
  return std::make_unique<FewLandOnLeavingNodes>(api);
}

}  // namespace reprise::simulator
