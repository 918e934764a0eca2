#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

std::string job_uid_of(const Value& object) {
  return std::string(text(object, {"metadata", "labels", "reprise.dev/job-uid"}));
}

ResourceId workloads_of(const ApiServer& api) {
  return api.resource("kueue.x-k8s.io", "workloads");
}

bool has_admission(const Value& workload) {
  return find(workload, {"status", "admission"}) != nullptr;
}

bool is_active(const Value& workload) {
  const Value* active = find(workload, {"spec", "active"});
  return active == nullptr || !active->is_bool() || active->as_bool();
}

bool may_run(const Value& workload) {
  return condition(workload, "Admitted") == "True" && condition(workload, "Evicted") != "True" &&
         condition(workload, "Finished") != "True" && is_active(workload) && !being_deleted(workload);
}

// A deleted Workload gives its quota back at once; an operator deletes it when nothing of the job runs.
class QuotaOutlastsRanks final : public Invariant {
 public:
  explicit QuotaOutlastsRanks(const ApiServer& api)
      : workloads_(workloads_of(api)), jobs_(api.resource("reprise.dev", "resumablejobs")) {}
  [[nodiscard]] std::string_view name() const override { return "quota-outlasts-ranks"; }

  void on_change(const ObjectChange& change, const Objection& /*object_to*/) override {
    if (change.resource == jobs_ &&
        !text(*change.object, {"metadata", "annotations", "reprise.dev/confirm-ended"}).empty())
      confirmed_.emplace(uid_of(*change.object));
    if (change.resource != workloads_) return;
    // Belongs to a Workload of that name that is gone: one made anew has the same name.
    const bool asked =
        change.change != Change::Modified && asked_to_delete_.erase(std::string(name_of(*change.object))) > 0;
    if (!change.before) return;
    const bool by_operator = change.change == Change::Deleted && asked;
    const bool taken = has_admission(*change.before) && condition(*change.before, "Finished") != "True";
    const bool given_back = !has_admission(*change.object) || condition(*change.object, "Finished") == "True";
    if (taken && (by_operator || (change.change == Change::Modified && given_back)))
      given_back_.emplace(job_uid_of(*change.object));
  }

  void on_request(std::string_view /*who*/, const runtime::Request& request, const Objection& /*object_to*/) override {
    const std::string path = path_of(request);
    if (request.method == runtime::Method::Delete && path.find("/workloads/") != std::string::npos)
      asked_to_delete_.emplace(path.substr(path.rfind('/') + 1));
  }

  void on_step(const Disks& disks, const TrainingLog& /*training*/, const Objection& object_to) override {
    for (const std::string& uid : std::exchange(given_back_, {}))
      for (const auto& [volume, disk] : disks)
        for (const TrainerId& writer : disk.writers)
          if (writer.job_uid == uid && !confirmed_.contains(uid))
            object_to("the quota of job " + uid + " is given back while rank " + std::to_string(writer.rank) +
                      " of attempt " + std::to_string(writer.attempt) + " trains");
  }

 private:
  ResourceId workloads_, jobs_;
  std::set<std::string> given_back_, confirmed_;  // jobs' uids
  std::set<std::string> asked_to_delete_;         // Workloads' names
};

class RunsWhileAdmitted final : public Invariant {
 public:
  RunsWhileAdmitted(const ApiServer& api, const EventLoop& loop)
      : api_(api),
        workloads_(workloads_of(api)),
        jobs_(api.resource("reprise.dev", "resumablejobs")),
        pods_(api.resource("", "pods")),
        loop_(loop) {}
  [[nodiscard]] std::string_view name() const override { return "runs-while-admitted"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource == jobs_) note_job(*change.object);
    if (change.resource == workloads_) note_workload(change);
    if (change.resource == pods_ && change.change == Change::Added) judge_new(*change.object, object_to);
    for (const auto& [uid, since] : evicted_since_)
      if (loop_.now() - since >= idle_timeout && !reported_.contains(uid)) judge_evicted(uid, object_to);
  }

 private:
  // No operator may have run for ten minutes.
  static constexpr Duration idle_timeout{15 * 60'000};

  void note_job(const Value& job) {
    if (!text(job, {"metadata", "labels", "kueue.x-k8s.io/queue-name"}).empty()) queued_.emplace(uid_of(job));
  }
  void note_workload(const ObjectChange& change) {
    const std::string uid = job_uid_of(*change.object);
    if (change.change != Change::Deleted && may_run(*change.object)) {
      evicted_since_.erase(uid);
      admitted_.insert(uid);
    } else if (admitted_.erase(uid) > 0 && condition(*change.object, "Finished") != "True") {
      evicted_since_.try_emplace(uid, loop_.now());
    }
  }
  void judge_new(const Value& pod, const Objection& object_to) {
    const std::string uid = job_uid_of(pod);
    const bool of_attempt = !text(pod, {"metadata", "labels", "reprise.dev/attempt"}).empty();
    if (!of_attempt || !queued_.contains(uid) || admitted_.contains(uid)) return;
    const auto evicted = evicted_since_.find(uid);
    if (evicted != evicted_since_.end() && loop_.now() - evicted->second < idle_timeout) return;
    object_to("pod " + std::string(name_of(pod)) + " is made, and its job is not admitted");
  }
  void judge_evicted(const std::string& uid, const Objection& object_to) {
    for (const ObjectPtr& pod : api_.list(pods_)) {
      if (job_uid_of(*pod) != uid || is_forged(*pod) || text(*pod, {"status", "phase"}) != "Running" ||
          being_deleted(*pod))
        continue;
      reported_.insert(uid);
      return object_to("pod " + std::string(name_of(*pod)) + " runs on, and its job was evicted");
    }
  }

  const ApiServer& api_;
  ResourceId workloads_, jobs_, pods_;
  const EventLoop& loop_;
  std::set<std::string> queued_, admitted_, reported_;  // jobs' uids
  std::map<std::string, Duration> evicted_since_;
};

class NoQuotaBehindAnotherJob final : public Invariant {
 public:
  NoQuotaBehindAnotherJob(const ApiServer& api, const EventLoop& loop)
      : workloads_(workloads_of(api)), jobs_(api.resource("reprise.dev", "resumablejobs")), loop_(loop) {}
  [[nodiscard]] std::string_view name() const override { return "no-quota-behind-another-job"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource == jobs_)
      note(waits_, std::string(uid_of(*change.object)), change, waits_for_job(*change.object));
    if (change.resource == workloads_) note(holds_, job_uid_of(*change.object), change, may_run(*change.object));
    for (const std::string& uid : waits_) {
      if (!holds_.contains(uid)) {
        since_.erase(uid);
        continue;
      }
      const Duration since = since_.try_emplace(uid, loop_.now()).first->second;
      if (loop_.now() - since < idle_timeout || !reported_.emplace(uid).second) continue;
      object_to("job " + uid + " holds quota, and another job keeps its claim");
    }
  }

 private:
  static constexpr Duration idle_timeout{15 * 60'000};  // as above

  static bool waits_for_job(const Value& job) {
    for (const Value& each : array(job, {"status", "conditions"}))
      if (text(each, {"type"}) == "PodsReady" && text(each, {"reason"}) == "ClaimInUse")
        return text(each, {"message"}).starts_with("ResumableJob ");
    return false;
  }
  void note(std::set<std::string>& uids, const std::string& uid, const ObjectChange& change, bool holds) {
    if (holds && change.change != Change::Deleted) {
      uids.insert(uid);
    } else if (uids.erase(uid) > 0) {
      since_.erase(uid);
    }
  }

  ResourceId workloads_, jobs_;
  const EventLoop& loop_;
  std::set<std::string> waits_, holds_, reported_;  // jobs' uids
  std::map<std::string, Duration> since_;
};

class EvictionsCountNothing final : public Invariant {
 public:
  explicit EvictionsCountNothing(const ApiServer& api) : jobs_(api.resource("reprise.dev", "resumablejobs")) {}
  [[nodiscard]] std::string_view name() const override { return "evictions-count-nothing"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource != jobs_ || change.change != Change::Modified) return;
    const Value &before = *change.before, &job = *change.object;
    const auto evicted = [](const Value& each) { return text(each, {"status", "attemptEnd", "reason"}) == "Evicted"; };
    if (!evicted(before) && !evicted(job)) return;
    for (const char* counter : {"interruptionCount", "failures"})
      if (number(before, {"status", counter}) != number(job, {"status", counter}))
        object_to("an eviction of job " + std::string(name_of(job)) + " counts among its " + counter);
  }

 private:
  ResourceId jobs_;
};

class QueueHolds final : public Invariant {
 public:
  QueueHolds(const ApiServer& api, std::int64_t units) : api_(api), workloads_(workloads_of(api)), units_(units) {}
  [[nodiscard]] std::string_view name() const override { return "queue-holds"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource != workloads_ || change.change == Change::Deleted) return;
    std::int64_t held = 0;
    for (const ObjectPtr& each : api_.list(workloads_)) held += units_held(*each);
    if (held > units_)
      object_to(std::to_string(held) + " units are admitted, and the queue has " + std::to_string(units_));
  }

 private:
  // A Workload that somebody has deactivated is free in Kueue's own books at once.
  [[nodiscard]] static std::int64_t units_held(const Value& workload) {
    if (!has_admission(workload) || !is_active(workload) || condition(workload, "Finished") == "True") return 0;
    std::int64_t units = 0;
    for (const Value& pods : array(workload, {"spec", "podSets"}))
      for (const Value& container : array(pods, {"template", "spec", "containers"}))
        for (const char* gpu : {"reprise.dev/gpu", "nvidia.com/gpu"})
          units += number(pods, {"count"}, 1) * number(container, {"resources", "limits", gpu});
    return units;
  }

  const ApiServer& api_;
  ResourceId workloads_;
  std::int64_t units_;
};

}  // namespace

std::unique_ptr<Invariant> quota_outlasts_ranks(const ApiServer& api) {
  return std::make_unique<QuotaOutlastsRanks>(api);
}

std::unique_ptr<Invariant> runs_while_admitted(const ApiServer& api, const EventLoop& loop) {
  return std::make_unique<RunsWhileAdmitted>(api, loop);
}

std::unique_ptr<Invariant> no_quota_behind_another_job(const ApiServer& api, const EventLoop& loop) {
  return std::make_unique<NoQuotaBehindAnotherJob>(api, loop);
}

std::unique_ptr<Invariant> queue_holds(const ApiServer& api, std::int64_t units) {
  return std::make_unique<QueueHolds>(api, units);
}

std::unique_ptr<Invariant> evictions_count_nothing(const ApiServer& api) {
  return std::make_unique<EvictionsCountNothing>(api);
}

}  // namespace reprise::simulator
