#include <set>
#include <utility>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

// A job is called Complete only when all its ranks came to their end in one attempt.
class CompleteIsTrue final : public Invariant {
 public:
  CompleteIsTrue(const ApiServer& api, const TrainingLog& training)
      : jobs_(api.resource("reprise.dev", "resumablejobs")), training_(training) {}

  [[nodiscard]] std::string_view name() const override { return "complete-is-true"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource != jobs_ || condition(*change.object, "Complete") != "True") return;
    const Value& job = *change.object;
    if (!judged_.emplace(uid_of(job)).second) return;
    const auto wanted = static_cast<std::size_t>(number(job, {"spec", "parallelism"}, 1));
    std::map<std::int64_t, std::set<int>> finished;
    for (const TrainerId& each : training_.finished)
      if (each.job_uid == uid_of(job)) finished[each.attempt].insert(each.rank);
    std::size_t most = 0;
    for (const auto& [attempt, ranks] : finished) most = std::max(most, ranks.size());
    if (most < wanted)
      object_to("job " + std::string(name_of(job)) + " is called Complete when " + std::to_string(most) + " of " +
                std::to_string(wanted) + " ranks had finished in one attempt");
  }

 private:
  ResourceId jobs_;
  const TrainingLog& training_;
  std::set<std::string, std::less<>> judged_;
};

}  // namespace

std::unique_ptr<Invariant> complete_is_true(const ApiServer& api, const TrainingLog& training) {
  return std::make_unique<CompleteIsTrue>(api, training);
}

}  // namespace reprise::simulator
