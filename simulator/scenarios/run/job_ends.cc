#include "simulator/scenarios/run/job_ends.h"

#include <algorithm>
#include <utility>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

std::string state_of(const Value& job) {
  std::string state;
  for (const Value& each : array(job, {"status", "conditions"}))
    state += (state.empty() ? "" : "; ") + std::string(text(each, {"type"})) + "=" +
             std::string(text(each, {"status"})) + " " + std::string(text(each, {"reason"})) + " (" +
             std::string(text(each, {"message"})) + ")";
  return state;
}

// True when it waits for a claim, perhaps of a job that itself waits for a person.
bool waits_for_claim(const Value& job) {
  return std::ranges::any_of(array(job, {"status", "conditions"}),
                             [](const Value& each) { return text(each, {"reason"}) == "ClaimInUse"; });
}

// True when the quota has too little: a job that has only just asked is answered in a moment.
bool waits_for_quota(const Value& job) {
  return reason(job, "PodsReady") == "WaitForQuota" &&
         std::ranges::any_of(array(job, {"status", "conditions"}), [](const Value& each) {
           return text(each, {"type"}) == "PodsReady" && text(each, {"message"}).contains("insufficient");
         });
}

// A job with a deadline ends by itself.
bool waits_for_good(const Value& job) {
  return condition(job, "Stalled") == "True" && reason(job, "Stalled") == "CheckpointLost" &&
         find(job, {"spec", "activeDeadlineSeconds"}) == nullptr;
}

}  // namespace

JobEnds::JobEnds(const ApiServer& api, const Workload& workload, std::function<std::set<std::string>()> tampered,
                 std::function<bool(const Value& job)> seen_to)
    : api_(api),
      workload_(workload),
      jobs_(api.resource("reprise.dev", "resumablejobs")),
      tampered_(std::move(tampered)),
      seen_to_(std::move(seen_to)) {}

std::vector<ObjectPtr> JobEnds::jobs() const {
  std::vector<ObjectPtr> all = api_.list(jobs_);
  std::erase_if(all, [](const ObjectPtr& job) { return namespace_of(*job) == kForeignNamespace; });
  return all;
}

// True when a person sees to it: a person who suspends a job lets it go, too.
bool JobEnds::goes_on(const Value& job) const {
  return seen_to_(job) || flag(job, {"spec", "suspend"});
}

std::set<std::string> JobEnds::lost_jobs(const std::set<std::string>& tampered) const {
  std::set<std::string> names;
  for (const ObjectPtr& job : jobs())
    if (waits_for_good(*job) && !has_ended(*job) && !goes_on(*job) && tampered.contains(std::string(name_of(*job))))
      names.emplace(name_of(*job));
  return names;
}

// A job that waits for the claim of a lost job waits for as long as that one. One whose predecessor ends has its turn
// yet.
bool JobEnds::ended(const Value& job) const {
  if (has_ended(job)) return true;
  const std::set<std::string> tampered = tampered_();
  if (tampered.empty()) return false;
  const std::set<std::string> lost = lost_jobs(tampered);
  const std::string name(name_of(job));
  if (lost.contains(name)) return true;
  if (goes_on(job)) return false;
  if (waits_for_quota(job) && !lost.empty()) return true;  // the quota may be theirs
  const auto claim_of = [this](std::string_view of) {
    const auto plan = std::ranges::find(workload_.jobs, of, &JobPlan::name);
    return plan == workload_.jobs.end() ? std::string() : claim_name(*plan);
  };
  return waits_for_claim(job) &&
         std::ranges::any_of(lost, [&](const std::string& other) { return claim_of(other) == claim_of(name); });
}

bool JobEnds::all_ended() const {
  const auto all = jobs();
  return all.size() == workload_.jobs.size() &&
         std::ranges::all_of(all, [this](const ObjectPtr& job) { return ended(*job); });
}

void JobEnds::tell_who_has_not(const std::function<void(std::string)>& tell) const {
  for (const ObjectPtr& job : jobs())
    if (!ended(*job)) tell("job " + std::string(name_of(*job)) + " has not ended: " + state_of(*job));
}

}  // namespace reprise::simulator
