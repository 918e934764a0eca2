#include "simulator/invariants/invariants.h"

#include <ranges>
#include <set>
#include <string>
#include <utility>

namespace reprise::simulator {
namespace {

// Power loss takes checkpoints that were not durable, trainers delete their own, and a restore may set torn checkpoints
// aside, or all of them when a person asks for a start from scratch; nothing else may make the newest durable
// checkpoint of a volume older.
class CheckpointsStay final : public Invariant {
 public:
  [[nodiscard]] std::string_view name() const override { return "checkpoints-stay"; }

  void on_step(const Disks& disks, const TrainingLog& training, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      if (training.tampered.contains(volume)) continue;
      const std::int64_t newest = disk.newest_durable();
      auto& known = newest_.try_emplace(volume, -1).first->second;
      if (newest < known && !disk.rotated.contains(known) && !is_written_again(disk, known) &&
          !is_renounced(disk, known) && !disk.is_put_aside_unproven(known))
        object_to("the newest durable checkpoint of volume " + volume + " was step " + std::to_string(known) +
                  " and is step " + std::to_string(newest));
      known = newest;
    }
    std::erase_if(newest_, [&](const auto& each) { return !disks.contains(each.first); });
  }

 private:
  // True for a checkpoint by a trainer of the newest attempt, which was given an older one: its last pieces came
  // meanwhile, from a machine whose end somebody had confirmed.
  static bool is_written_again(const Disk& disk, std::int64_t step) {
    const auto found = disk.checkpoints.find(step);
    if (found == disk.checkpoints.end() || found->second.complete || found->second.quarantined) return false;
    const auto* newest_attempt = disk.newest_attempt();
    if (newest_attempt == nullptr) return false;
    const auto& [number, newest] = *newest_attempt;
    return found->second.by.attempt == number && newest.resume && newest.resume->step < step;
  }
  static bool is_renounced(const Disk& disk, std::int64_t step) {
    const auto found = disk.checkpoints.find(step);
    if (found == disk.checkpoints.end() || !found->second.quarantined) return false;
    // The other volumes of a gang may not have it: an invariant of its own holds their common steps.
    if (disk.gang_volumes > 1) return true;
    const auto* newest_attempt = disk.newest_attempt();
    if (newest_attempt == nullptr) return false;
    const auto& choice = newest_attempt->second.resume;
    return newest_attempt->second.renounces || (choice && choice->from_scratch);
  }

  std::map<std::string, std::int64_t> newest_;
};

// Deletion of a claim or a snapshot that an unfinished job refers to is up to a person.
class ClaimsStay final : public Invariant {
 public:
  explicit ClaimsStay(const ApiServer& api)
      : jobs_(api.resource("reprise.dev", "resumablejobs")),
        claims_(api.resource("", "persistentvolumeclaims")),
        pods_(api.resource("", "pods")) {}

  [[nodiscard]] std::string_view name() const override { return "claims-stay"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource == jobs_) return remember(change);
    if (change.resource == pods_) return remember_mounts(*change.object);
    if (change.resource != claims_) return;
    const Value& claim = *change.object;
    const bool going = change.change == Change::Deleted ? !was_going(change) : begins_to_go(change);
    if (!going) return;
    for (const auto& [uid, job] : live_) {
      const bool said = job.claim_uid == uid_of(claim) && !job.claim_uid.empty();
      if (!said && !mounted_.contains({uid, std::string(name_of(claim))})) continue;
      object_to("claim " + std::string(name_of(claim)) + " is deleted while job " + job.name + " needs it");
    }
  }

 private:
  struct Live {
    std::string name, claim_uid;
  };

  static bool was_going(const ObjectChange& change) { return change.before && being_deleted(*change.before); }
  static bool begins_to_go(const ObjectChange& change) { return being_deleted(*change.object) && !was_going(change); }

  void remember(const ObjectChange& change) {
    const Value& job = *change.object;
    const std::string uid(uid_of(job));
    const std::string_view claim = text(job, {"status", "checkpoint", "claimUID"});
    if (change.change == Change::Deleted || being_deleted(job) || has_ended(job))
      live_.erase(uid);
    else
      live_[uid] = {std::string(name_of(job)), std::string(claim)};
  }

  // Remembers the claims that the job's trainers write to, whatever its status says.
  void remember_mounts(const Value& pod) {
    const std::string job(text(pod, {"metadata", "labels", "reprise.dev/job-uid"}));
    if (job.empty()) return;
    for (const Value& volume : array(pod, {"spec", "volumes"}))
      if (const std::string_view claim = text(volume, {"persistentVolumeClaim", "claimName"}); !claim.empty())
        mounted_.emplace(job, claim);
  }

  ResourceId jobs_, claims_, pods_;
  std::map<std::string, Live> live_;                       // by uid: jobs that have not ended
  std::set<std::pair<std::string, std::string>> mounted_;  // uid of a job, name of a claim
};

}  // namespace

std::unique_ptr<Invariant> checkpoints_stay() {
  return std::make_unique<CheckpointsStay>();
}

std::unique_ptr<Invariant> claims_stay(const ApiServer& api) {
  return std::make_unique<ClaimsStay>(api);
}

}  // namespace reprise::simulator
