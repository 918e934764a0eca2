#include "simulator/scenarios/people/people.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>

#include "simulator/invariants/invariants.h"
#include "simulator/scenarios/people/confirmation.h"

namespace reprise::simulator {
namespace {

constexpr Duration minute{60'000};
constexpr std::string_view kAccept = "reprise.dev/accept-checkpoint";

bool is_suspended_by(const Value& job, std::string_view limit) {
  return condition(job, "Suspended") == "True" && reason(job, "Suspended") == limit;
}

bool is_at_limit(const Value& job) {
  return is_suspended_by(job, "InterruptionLimitReached");
}

bool is_at_cost_limit(const Value& job) {
  return is_suspended_by(job, "MaxCostReached");
}

bool is_stalled_by_full_volume(const Value& job) {
  return condition(job, "Stalled") == "True" && reason(job, "Stalled") == "VolumeFull";
}

// The message about a lost checkpoint ends with the command that accepts an older one, where there is one.
std::optional<std::string> offered_step(const Value& job) {
  for (const Value& each : array(job, {"status", "conditions"})) {
    if (text(each, {"type"}) != "Stalled" || text(each, {"status"}) != "True") continue;
    std::string_view message = text(each, {"message"});
    const std::size_t at = message.rfind(std::string(kAccept) + "=");
    if (at == std::string_view::npos) continue;
    message.remove_prefix(at + kAccept.size() + 1);
    const auto end = std::ranges::find_if_not(
        message, [](char letter) { return letter == '/' || std::isdigit(static_cast<unsigned char>(letter)) != 0; });
    const std::string step(message.begin(), end);
    if (!step.empty() && step.front() != '/') return step;
  }
  return std::nullopt;
}

}  // namespace

People::People(Actors& actors, const Workload& workload)
    : actors_(actors),
      workload_(workload),
      jobs_(actors.cluster.api.resource("reprise.dev", "resumablejobs")),
      timers_(actors.cluster.loop) {}

void People::begin() {
  for (const JobPlan& job : workload_.jobs) {
    if (job.from_scratch > Duration{0})
      timers_.after(job.submitted + job.from_scratch, [this, &job] { start_from_scratch(job.name); });
    if (job.suspended_for == Duration{0}) continue;
    const Duration suspended = job.submitted + job.suspended_after;
    timers_.after(suspended, [this, &job] { suspend(job.name, true); });
    timers_.after(suspended + job.suspended_for, [this, &job] { suspend(job.name, false); });
  }
  for (std::size_t i = 0; i < workload_.template_changes.size(); ++i)
    timers_.after(workload_.template_changes[i], [this, i] { change_template(i); });
  subscription_ = actors_.cluster.api.subscribe(jobs_, [this](const ObjectChange& change) { see(change); });
}

void People::change_template(std::size_t which) {
  if (!changes_pool_) return;
  actors_.cluster.log.add("person", "changes a label of the pool's nodes");
  (void)actors_.cluster.api.update(
      {actors_.cluster.api.resource("reprise.dev", "gpupools"), "", std::string(kPoolName)}, [&](Value& pool) {
        set(pool, {"spec", "labels", "example.com/round"}, Value(std::to_string(which)));
      });
}

void People::edit(const std::string& name, const std::string& doing, const std::function<void(Value&)>& change) {
  const ObjectAddress address{jobs_, kJobNamespace, name};
  const ObjectPtr found = actors_.cluster.api.get(address);
  if (!found || has_ended(*found)) return;
  actors_.cluster.log.add("person", doing);
  (void)actors_.cluster.api.update(address, change);
}

// Takes effect with the attempt that begins next.
void People::start_from_scratch(const std::string& name) {
  edit(name, "has " + name + " start from scratch", [](Value& value) {
    set(value, {"spec", "resume"}, Value("FromScratch"));
  });
}

// Removes the request for a former start from scratch, which has been made.
void People::accept_loss_of_all(const std::string& name) {
  edit(name, "lets go of a former start from scratch of " + name, [](Value& value) {
    set(value, {"spec", "resume"}, Value("Latest"));
  });
  timers_.after(minute, [this, name] { start_from_scratch(name); });
}

void People::suspend(const std::string& name, bool suspended) {
  edit(name, (suspended ? "suspends " : "lets go on ") + name, [suspended](Value& value) {
    set(value, {"spec", "suspend"}, Value(suspended));
  });
}

void People::see(const ObjectChange& change) {
  if (change.change == Change::Deleted || has_ended(*change.object)) return;
  see_to_limit(*change.object);
  see_to_cost_limit(*change.object);
  see_to_lost_checkpoint(*change.object);
  see_to_full_volume(*change.object);
  see_to_silent_writer(*change.object);
}

// First they try a remedy that is no help.
void People::see_to_limit(const Value& job) {
  if (!is_at_limit(job) || !seen_.emplace(uid_of(job), "limit").second) return;
  const std::string name(name_of(job)), uid(uid_of(job));
  timers_.after(minute, [this, name] { suspend(name, true); });
  timers_.after(2 * minute, [this, name] { suspend(name, false); });
  timers_.after(5 * minute, [this, name, uid] {
    seen_.erase({uid, "limit"});
    edit(name, "raises the limit of " + name, [](Value& value) {
      const std::int64_t limit = number(value, {"spec", "interruption", "limit"});
      set(value, {"spec", "interruption", "limit"}, Value(limit + 5));
    });
  });
}

void People::see_to_cost_limit(const Value& job) {
  if (!is_at_cost_limit(job) || !seen_.emplace(uid_of(job), "cost").second) return;
  timers_.after(5 * minute, [this, name = std::string(name_of(job)), uid = std::string(uid_of(job))] {
    seen_.erase({uid, "cost"});
    edit(name, "allows " + name + " to cost more", [](Value& value) {
      const std::string spent(text(value, {"status", "cost", "spent"}));
      const auto whole = std::to_string(std::stoll(spent.empty() ? "0" : spent) + 1);
      set(value, {"spec", "placement", "maxCost"}, Value(whole + ".00"));
    });
  });
}

// A person who is asked about an unproven checkpoint loads it first.
bool People::lies_hollow(const std::string& name) {
  const auto job = std::ranges::find(workload_.jobs, name, &JobPlan::name);
  if (job == workload_.jobs.end() || job->volume_each) return false;
  const Disk* const disk = actors_.volumes.disk(actors_.volume_of(std::string(kJobNamespace), claim_name(*job)));
  if (disk == nullptr) return false;
  const auto lies_there = [](const auto& each) { return each.second.complete && !each.second.quarantined; };
  const auto newest = std::find_if(disk->checkpoints.rbegin(), disk->checkpoints.rend(), lies_there);
  return newest != disk->checkpoints.rend() && newest->second.hollow;
}

void People::see_to_lost_checkpoint(const Value& job) {
  const auto step = workload_.accepts_older ? offered_step(job) : std::nullopt;
  if (!step || !seen_.emplace(uid_of(job), *step).second) return;
  timers_.after(3 * minute, [this, name = std::string(name_of(job)), step = *step] {
    if (lies_hollow(name)) return accept_loss_of_all(name);
    edit(name, "accepts checkpoint " + step + " of " + name, [&step](Value& value) {
      set(value, {"metadata", "annotations", kAccept}, Value(step));
    });
  });
}

// No machine of a pool goes for the sake of a job that does not use it: somebody has to look.
void People::see_to_silent_writer(const Value& job) {
  if (!text(job, {"spec", "poolName"}).empty() || !awaited_confirmation(job)) return;
  if (!seen_.emplace(uid_of(job), "writer").second) return;
  timers_.after(5 * minute, [this, name = std::string(name_of(job)), uid = std::string(uid_of(job))] {
    look_and_confirm(name, uid);
  });
}

void People::look_and_confirm(const std::string& name, const std::string& uid) {
  const ObjectPtr job = actors_.cluster.api.get({jobs_, kJobNamespace, name});
  const auto confirmation = job && uid_of(*job) == uid && !has_ended(*job) ? awaited_confirmation(*job) : std::nullopt;
  if (!confirmation) {
    seen_.erase({uid, "writer"});
    return;
  }
  const bool writes = std::ranges::any_of(actors_.volumes.disks(), [&](const auto& disk) {
    return std::ranges::any_of(disk.second.writers, [&](const TrainerId& each) { return each.job_uid == uid; });
  });
  if (!writes) {
    actors_.cluster.log.add("person", "has looked, and confirms for " + name);
    confirm(actors_.cluster.api, kJobNamespace, name, *confirmation);
  }
  timers_.after(5 * minute, [this, name, uid] { look_and_confirm(name, uid); });
}

// Somebody sets how many checkpoints stay; where that is set already, somebody lets the claims grow.
void People::see_to_full_volume(const Value& job) {
  if (!is_stalled_by_full_volume(job) || !seen_.emplace(uid_of(job), "room").second) return;
  timers_.after(5 * minute, [this, name = std::string(name_of(job)), uid = std::string(uid_of(job))] {
    seen_.erase({uid, "room"});
    const ObjectPtr now = actors_.cluster.api.get({jobs_, kJobNamespace, name});
    if (!now || uid_of(*now) != uid || has_ended(*now) || !is_stalled_by_full_volume(*now)) return;
    if (find(*now, {"spec", "checkpoint", "keep"}) != nullptr) return let_claims_grow(name);
    edit(name, "has two checkpoints of " + name + " stay", [](Value& value) {
      set(value, {"spec", "checkpoint", "keep"}, 2);
    });
  });
}

void People::let_claims_grow(const std::string& name) {
  const auto job = std::ranges::find(workload_.jobs, name, &JobPlan::name);
  if (job == workload_.jobs.end()) return;
  edit(name, "lets the claims of " + name + " grow", [](Value& value) {
    set(value, {"metadata", "annotations", kGrownClaim}, "true");
  });
  const ResourceId claims = actors_.cluster.api.resource("", "persistentvolumeclaims");
  for (const std::string& claim : job->volume_each ? claim_names(*job) : std::vector{claim_name(*job)}) {
    Disk* disk = actors_.volumes.disk(actors_.volume_of(std::string(kJobNamespace), claim));
    if (disk == nullptr) continue;
    disk->traits.capacity += 5;
    const std::string capacity = std::to_string(disk->traits.capacity) + "Gi";
    (void)actors_.cluster.api.update(
        {claims, kJobNamespace, claim},
        [&](Value& value) {
          set(value, {"status", "capacity", "storage"}, Value(capacity));
        },
        "status");
  }
}

bool People::will_see_to(const Value& job) const {
  return is_at_limit(job) || is_stalled_by_full_volume(job) || is_at_cost_limit(job) ||
         (workload_.accepts_older && offered_step(job));
}

}  // namespace reprise::simulator
