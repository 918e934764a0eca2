#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <utility>

#include "simulator/invariants/laws.h"

namespace reprise::simulator {
namespace {

class DataStays final : public Invariant {
 public:
  [[nodiscard]] std::string_view law() const override { return "data-stays"; }

  void on_step(const Disks& disks, const TrainingLog& training, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      auto& known = known_[volume];
      for (const std::string& directory : known)
        if (!disk.data.contains(directory) && !training.tampered.contains(volume))
          object_to("directory " + directory + " of volume " + volume + " is gone, and no trainer had made it");
      known.clear();
      for (const auto& directory : disk.data | std::views::keys) known.insert(directory);
    }
  }

 private:
  std::map<std::string, std::set<std::string>> known_;  // by volume
};

// What was resumed from stays as long as its attempt (docs/decisions/0013-a-gangs-resume-point-stays.md).
class OldestGoFirst final : public Invariant {
 public:
  [[nodiscard]] std::string_view law() const override { return "oldest-go-first"; }

  void on_step(const Disks& disks, const TrainingLog& training, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      Made there;
      for (const auto& [step, checkpoint] : disk.checkpoints)
        if (checkpoint.complete && !checkpoint.quarantined && checkpoint.unsynced_on.empty())
          there[step] = checkpoint.by.job_uid;
      auto& known = known_[volume];
      if (!training.tampered.contains(volume))
        for (const auto& [step, job_uid] : known) judge(volume, disk, there, {step, job_uid}, object_to);
      known = std::move(there);
    }
  }

 private:
  using Made = std::map<std::int64_t, std::string>;  // by which job, by step

  static void judge(const std::string& volume, const Disk& disk, const Made& there,
                    const std::pair<std::int64_t, std::string>& gone, const Objection& object_to) {
    const auto& [step, job_uid] = gone;
    if (disk.checkpoints.contains(step)) return;
    for (const auto& [older, its_job] : there) {
      if (older >= step) return;
      if (its_job != job_uid) continue;  // a job before it on the same volume
      const auto attempt = disk.attempts.find(disk.fence_attempt);
      const bool resumed_from =
          attempt != disk.attempts.end() && attempt->second.resume && attempt->second.resume->step == older;
      if (!resumed_from)
        return object_to("checkpoint " + std::to_string(step) + " of volume " + volume + " is deleted, and the older " +
                         std::to_string(older) + " stays");
    }
  }

  std::map<std::string, Made> known_;  // by volume: complete and durable
};

class CheckpointsAreFew final : public Invariant {
 public:
  CheckpointsAreFew(const ApiServer& api, const EventLoop& loop)
      : jobs_(api.resource("reprise.dev", "resumablejobs")), loop_(loop) {}
  [[nodiscard]] std::string_view law() const override { return "checkpoints-are-few"; }

  void on_change(const ObjectChange& change, const Objection& /*object_to*/) override {
    if (change.resource != jobs_) return;
    const Value& job = *change.object;
    const bool dated =
        text(job, {"spec", "template", "metadata", "annotations", "simulate.reprise.dev/names"}) == "Dates";
    allowed_[std::string(uid_of(job))] =
        dated ? std::nullopt : std::optional(number(job, {"spec", "checkpoint", "keep"}, 2) + 2);
  }

  void on_step(const Disks& disks, const TrainingLog& training, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      const auto allowed = allowed_.find(disk.fence_job_uid);
      const std::int64_t there = count(disk);
      // Who cannot look cannot delete either.
      const bool looks = !disk.writers.empty() && disk.standing_still.empty() && !training.tampered.contains(volume);
      if (allowed == allowed_.end() || !allowed->second || there <= *allowed->second || !looks) {
        crowded_since_.erase(volume);
        continue;
      }
      const Duration since = crowded_since_.try_emplace(volume, loop_.now()).first->second;
      if (loop_.now() - since < patience || !told_.insert(volume).second) continue;
      object_to("volume " + volume + " holds " + std::to_string(there) + " checkpoints of its job, and may hold " +
                std::to_string(*allowed->second));
    }
  }

 private:
  // Saves can follow each other faster than looks and deletions.
  static constexpr Duration patience{60'000};

  static std::int64_t count(const Disk& disk) {
    const auto in_place = std::ranges::count_if(disk.checkpoints, [&](const auto& each) {
      return !each.second.quarantined && each.second.by.job_uid == disk.fence_job_uid;
    });
    return in_place + std::ranges::count_if(disk.aside, [](const DiskAside& each) { return each.ours; });
  }

  ResourceId jobs_;
  const EventLoop& loop_;
  std::map<std::string, std::optional<std::int64_t>> allowed_;  // by uid of the job
  std::map<std::string, Duration> crowded_since_;
  std::set<std::string> told_;
};

}  // namespace

std::unique_ptr<Invariant> data_stays() {
  return std::make_unique<DataStays>();
}

std::unique_ptr<Invariant> oldest_go_first() {
  return std::make_unique<OldestGoFirst>();
}

std::unique_ptr<Invariant> checkpoints_are_few(const ApiServer& api, const EventLoop& loop) {
  return std::make_unique<CheckpointsAreFew>(api, loop);
}

}  // namespace reprise::simulator
