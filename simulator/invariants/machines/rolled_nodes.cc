#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <boost/json/serialize.hpp>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

// An operator may see pods as much later.
constexpr Duration kSeenLate{60'000};
// A job that is moved may have saved so long ago (controllers/gpupool/machines/may_go.h), until the save is seen again.
constexpr Duration kJustSaved{120'000}, kKnownLate{120'000};

class RollsNoTrainer final : public Invariant {
 public:
  RollsNoTrainer(const ApiServer& api, const EventLoop& loop)
      : api_(api),
        jobs_(api.resource("reprise.dev", "resumablejobs")),
        claims_(api.resource("karpenter.sh", "nodeclaims")),
        pools_(api.resource("reprise.dev", "gpupools")),
        pods_(api.resource("", "pods")),
        loop_(loop) {}
  [[nodiscard]] std::string_view name() const override { return "rolls-no-trainer"; }

  void on_change(const ObjectChange& change, const Objection& /*object_to*/) override {
    if (change.resource != jobs_) return;
    const Value& job = *change.object;
    Training& training = training_[std::string(uid_of(job))];
    const std::int64_t ready = number(job, {"status", "readyAttempt"});
    if (training.attempt != ready) training = {ready, loop_.now()};
    reports_ = reports_ || find(job, {"status", "progress", "checkpoint"}) != nullptr;
  }

  void on_step(const Disks& disks, const TrainingLog& /*training*/, const Objection& /*object_to*/) override {
    if (!reports_) return;
    there_.clear();
    for (const auto& [volume, disk] : disks) {
      for (const auto& [step, checkpoint] : disk.checkpoints) {
        there_.emplace(checkpoint.by.job_uid, step);
        were_there_.emplace(checkpoint.by.job_uid, step);
        if (!checkpoint.complete || !checkpoint.unsynced_on.empty()) continue;
        Duration& saved = saved_[checkpoint.by.job_uid];
        saved = std::max(saved, checkpoint.time);
      }
    }
  }

  void on_request(std::string_view who, const runtime::Request& request, const Objection& object_to) override {
    constexpr std::string_view kClaims = "/apis/karpenter.sh/v1/nodeclaims/";
    const std::string path = path_of(request);
    if (request.method != runtime::Method::Delete || !path.starts_with(kClaims)) return;
    const ObjectPtr claim = api_.get({claims_, "", path.substr(kClaims.size())});
    if (!claim || (condition(*claim, "Drifted") != "True" && !is_written_down(*claim))) return;
    for (const ObjectPtr& job : api_.list(jobs_)) {
      if (!trains_on(*job, *claim)) continue;
      if (const std::string why = why_not_just_saved(*job); !why.empty())
        object_to(std::string(who) + " gives NodeClaim " + std::string(name_of(*claim)) + " back, on which job " +
                  std::string(name_of(*job)) + " trains" + why);
    }
  }

 private:
  struct Training {
    std::int64_t attempt = 0;  // the last that was ready
    Duration since{0};
  };
  // True when it has trained for longer than an operator may have overlooked, and nobody ends its attempt.
  [[nodiscard]] bool trains_on(const Value& job, const Value& claim) const {
    const auto known = training_.find(std::string(uid_of(job)));
    if (known == training_.end() || loop_.now() < known->second.since + kSeenLate) return false;
    if (number(job, {"status", "attempt"}) != known->second.attempt) return false;
    if (find(job, {"status", "attemptEnd"}) != nullptr) return false;
    for (const Value& rank : array(job, {"status", "members"})) {
      const std::string_view proof = text(rank, {"proof"});
      const bool open = proof.empty() || proof == "None";
      if (open && text(rank, {"nodeClaimUID"}) == uid_of(claim) && runs(job, rank)) return true;
    }
    return false;
  }
  // True when a pool's status says that it gives the machine back without need.
  [[nodiscard]] bool is_written_down(const Value& claim) const {
    for (const ObjectPtr& pool : api_.list(pools_)) {
      for (const Value& each : array(*pool, {"status", "drift", "rolled"}))
        if (text(each, {"nodeClaim"}) == name_of(claim)) return true;
    }
    return false;
  }
  // The end of a sentence about the job; empty: it has just saved.
  [[nodiscard]] std::string why_not_just_saved(const Value& job) const {
    const Value* reported = find(job, {"status", "progress", "checkpoint"});
    if (reported == nullptr) return ", which has reported no checkpoint";
    // Another volume has come in place of the one to which it was saved a moment ago.
    const std::pair<std::string, std::int64_t> told(uid_of(job), number(*reported, {"step"}));
    if (were_there_.contains(told) && !there_.contains(told)) return {};
    const auto saved = saved_.find(std::string(uid_of(job)));
    if (saved != saved_.end() && loop_.now() < saved->second + kJustSaved + kKnownLate) return {};
    return (saved == saved_.end()
                ? ", which has saved nothing"
                : ", whose newest checkpoint is complete since " + std::to_string(saved->second.count()) + " ms") +
           " and reports " + boost::json::serialize(*reported);
  }
  [[nodiscard]] bool runs(const Value& job, const Value& rank) const {
    const ObjectPtr pod =
        api_.get({pods_, std::string(text(job, {"metadata", "namespace"})), std::string(text(rank, {"podName"}))});
    return pod && text(*pod, {"status", "phase"}) == "Running";
  }

  const ApiServer& api_;
  ResourceId jobs_, claims_, pools_, pods_;
  const EventLoop& loop_;
  bool reports_ = false;
  std::set<std::pair<std::string, std::int64_t>> there_, were_there_;  // checkpoints, by uid of the job and step
  std::map<std::string, Training> training_;                           // by uid of the job
  std::map<std::string, Duration> saved_;  // likewise; when its newest durable checkpoint was complete
};

}  // namespace

std::unique_ptr<Invariant> rolls_no_trainer(const ApiServer& api, const EventLoop& loop) {
  return std::make_unique<RollsNoTrainer>(api, loop);
}

}  // namespace reprise::simulator
