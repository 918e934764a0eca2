#include <chrono>
#include <map>
#include <set>
#include <string>

#include "runtime/kube/time.h"
#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

double dollars(std::string_view amount) {
  return amount.empty() ? 0 : std::stod(std::string(amount));
}

bool has_cost_limit(const Value& job) {
  const std::string_view limit = text(job, {"spec", "placement", "maxCost"});
  return !limit.empty() && dollars(text(job, {"status", "cost", "spent"})) >= dollars(limit);
}

class CostLimitHolds final : public Invariant {
 public:
  explicit CostLimitHolds(const ApiServer& api) : jobs_(api.resource("reprise.dev", "resumablejobs")) {}
  [[nodiscard]] std::string_view name() const override { return "cost-limit-holds"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource != jobs_ || change.change != Change::Modified) return;
    const Value &before = *change.before, &job = *change.object;
    if (number(job, {"status", "attempt"}) <= number(before, {"status", "attempt"}) || !has_cost_limit(before)) return;
    object_to("job " + std::string(name_of(job)) + " begins an attempt after it has cost " +
              std::string(text(before, {"status", "cost", "spent"})) + ", and may cost " +
              std::string(text(job, {"spec", "placement", "maxCost"})));
  }

 private:
  ResourceId jobs_;
};

class WaitsInTime final : public Invariant {
 public:
  WaitsInTime(const ApiServer& api, const EventLoop& loop)
      : api_(api), jobs_(api.resource("reprise.dev", "resumablejobs")), pods_(api.resource("", "pods")), loop_(loop) {}
  [[nodiscard]] std::string_view name() const override { return "waits-in-time"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource == jobs_) hear(change);
    for (const auto& [uid, last] : last_spot_)
      if (loop_.wall() > last + idle_timeout && !reported_.contains(uid)) judge(uid, object_to);
  }

 private:
  // No operator may have run for ten minutes, and its clock may be five minutes off.
  static constexpr std::chrono::minutes idle_timeout{16}, changeover{12};

  // The work left is at least this: reports and slower starts only let the job ask for on-demand capacity earlier.
  void hear(const ObjectChange& change) {
    const Value& job = *change.object;
    const std::string uid(uid_of(job));
    last_spot_.erase(uid);
    const std::int64_t estimate = number(job, {"spec", "placement", "estimatedSeconds"});
    const auto complete_by = kube::parse_time(text(job, {"spec", "placement", "completeBy"}));
    if (change.change == Change::Deleted || has_ended(job) || flag(job, {"spec", "suspend"}) || !complete_by ||
        estimate == 0)
      return;
    const std::chrono::seconds left(estimate - number(job, {"status", "trainedSeconds"}));
    last_spot_[uid] = *complete_by - left - 2 * changeover;
  }

  void judge(const std::string& job_uid, const Objection& object_to) {
    for (const ObjectPtr& pod : api_.list(pods_)) {
      const bool waits = text(*pod, {"metadata", "labels", "reprise.dev/job-uid"}) == job_uid &&
                         !text(*pod, {"metadata", "labels", "reprise.dev/attempt"}).empty() &&
                         text(*pod, {"spec", "nodeName"}).empty() && !being_deleted(*pod) &&
                         text(*pod, {"status", "phase"}) == "Pending";
      if (!waits || text(*pod, {"spec", "nodeSelector", "karpenter.sh/capacity-type"}) != "spot") continue;
      if (has_peer_on_node(*pod)) continue;
      reported_.insert(job_uid);
      return object_to("pod " + std::string(name_of(*pod)) +
                       " waits for spot, and only on-demand capacity would be in time");
    }
  }

  // A gang with some ranks on nodes is left to podsReadyTimeoutSeconds.
  [[nodiscard]] bool has_peer_on_node(const Value& pod) const {
    for (const ObjectPtr& other : api_.list(pods_)) {
      const bool peer = text(*other, {"metadata", "labels", "reprise.dev/job-uid"}) ==
                            text(pod, {"metadata", "labels", "reprise.dev/job-uid"}) &&
                        text(*other, {"metadata", "labels", "reprise.dev/attempt"}) ==
                            text(pod, {"metadata", "labels", "reprise.dev/attempt"});
      if (peer && !text(*other, {"spec", "nodeName"}).empty()) return true;
    }
    return false;
  }

  const ApiServer& api_;
  ResourceId jobs_, pods_;
  const EventLoop& loop_;
  std::map<std::string, runtime::WallTime> last_spot_;  // by uid of the job
  std::set<std::string> reported_;
};

}  // namespace

std::unique_ptr<Invariant> cost_limit_holds(const ApiServer& api) {
  return std::make_unique<CostLimitHolds>(api);
}

std::unique_ptr<Invariant> waits_in_time(const ApiServer& api, const EventLoop& loop) {
  return std::make_unique<WaitsInTime>(api, loop);
}

}  // namespace reprise::simulator
