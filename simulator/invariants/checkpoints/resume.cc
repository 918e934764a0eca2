#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

std::string text_of(std::optional<std::int64_t> step) {
  return step ? "step " + std::to_string(*step) : std::string("the start");
}

class ResumesNewest final : public Invariant {
 public:
  explicit ResumesNewest(const EventLoop& loop) : loop_(loop) {}
  [[nodiscard]] std::string_view name() const override { return "resumes-newest"; }

  void on_step(const Disks& disks, const TrainingLog& /*training*/, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      note_damage(volume, disk);
      // Only the newest attempt can bring news.
      const auto* newest_attempt = disk.newest_attempt();
      if (newest_attempt == nullptr || disk.gang_volumes > 1) continue;
      const auto& [number, attempt] = *newest_attempt;
      if (!attempt.resume || !attempt.resume->rejection.empty()) continue;
      if (!judged_.emplace(attempt.resume->job_uid, number).second) continue;
      const auto newest = disk.newest_complete();
      if (attempt.resume->step != newest && !was_damaged_while_written(volume, disk, attempt.resume->step))
        object_to("attempt " + std::to_string(number) + " of volume " + volume + " is to resume from " +
                  text_of(attempt.resume->step) + ", and the newest complete checkpoint is " + text_of(newest));
    }
  }

 private:
  // The newest complete checkpoint until it lost its marker, or the volume was another one.
  struct Damaged {
    std::optional<std::int64_t> newest = {}, lost = {};
    Duration at{0};
  };

  void note_damage(const std::string& volume, const Disk& disk) {
    const auto newest = disk.newest_complete();
    Damaged& known = damaged_[volume];
    if (newest == known.newest) return;
    const auto found = known.newest ? disk.checkpoints.find(*known.newest) : disk.checkpoints.end();
    const bool was_swapped = known.newest && disk.checkpoints.empty();
    if (was_swapped || (found != disk.checkpoints.end() && !found->second.complete && !found->second.quarantined))
      known = {.newest = {}, .lost = known.newest, .at = loop_.now()};
    known.newest = newest;
  }

  // True when the checkpoint was damaged between the look of the publisher and its write: nobody can look once more in
  // between.
  [[nodiscard]] bool was_damaged_while_written(const std::string& volume, const Disk& disk,
                                               std::optional<std::int64_t> step) const {
    const Damaged& known = damaged_.at(volume);
    return step && step == known.lost && loop_.now() - known.at <= std::max(disk.traits.call, quickest_call);
  }

  static constexpr Duration quickest_call{5};  // disk_files.cc

  const EventLoop& loop_;
  std::map<std::string, Damaged> damaged_;  // by volume
  std::set<std::pair<std::string, std::int64_t>> judged_;
};

class ResumePointStays final : public Invariant {
 public:
  explicit ResumePointStays(const ApiServer& api) : jobs_(api.resource("reprise.dev", "resumablejobs")) {}
  [[nodiscard]] std::string_view name() const override { return "resume-point-stays"; }

  void on_change(const ObjectChange& change, const Objection& /*object_to*/) override {
    if (change.resource != jobs_) return;
    ranks_[std::string(uid_of(*change.object))] = number(*change.object, {"spec", "parallelism"}, 1);
  }

  void on_step(const Disks& disks, const TrainingLog& training, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      const auto* newest_attempt = disk.newest_attempt();
      if (newest_attempt == nullptr || training.tampered.contains(volume) || disk.gang_volumes > 1) continue;
      const auto& [number, attempt] = *newest_attempt;
      const auto& point = attempt.resume;
      if (!point || !point->step || !point->rejection.empty()) continue;
      // Left by an earlier job's attempt of the same number: the job that has the volume now has not published yet.
      if (!disk.fence_job_uid.empty() && point->job_uid != disk.fence_job_uid) continue;
      const auto ranks = ranks_.find(point->job_uid);
      // A rank alone reads from its own machine's memory, and goes with it.
      if (ranks == ranks_.end() || ranks->second == 1 || std::ssize(attempt.loads) >= ranks->second) continue;
      const auto found = disk.checkpoints.find(*point->step);
      const bool there = disk.rotated.contains(*point->step) ||
                         (found != disk.checkpoints.end() && found->second.complete && !found->second.quarantined);
      if (there || !reported_.emplace(point->job_uid, number).second) continue;
      object_to("attempt " + std::to_string(number) + " of volume " + volume + " resumes from " + text_of(point->step) +
                ", which is gone before " + std::to_string(ranks->second) + " ranks have loaded it");
    }
  }

 private:
  ResourceId jobs_;
  std::map<std::string, std::int64_t> ranks_;  // by uid of the job
  std::set<std::pair<std::string, std::int64_t>> reported_;
};

class LosesNothingUnsaid final : public Invariant {
 public:
  explicit LosesNothingUnsaid(const ApiServer& api) : jobs_(api.resource("reprise.dev", "resumablejobs")) {}
  [[nodiscard]] std::string_view name() const override { return "loses-nothing-unsaid"; }

  void on_change(const ObjectChange& change, const Objection& /*object_to*/) override {
    if (change.resource != jobs_) return;
    const Value& job = *change.object;
    const std::int64_t attempt = number(job, {"status", "attempt"});
    Expected& expected = expected_[std::string(uid_of(job))];
    if (attempt <= expected.attempt) return;
    expected = {.attempt = attempt,
                .step = number(job, {"status", "checkpoint", "step"}, -1),
                .directory = std::string(text(job, {"status", "checkpoint", "path"}))};
  }

  void on_step(const Disks& disks, const TrainingLog& /*training*/, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      note_names(disk);
      const auto* newest_attempt = disk.newest_attempt();
      if (newest_attempt == nullptr) continue;
      for (const auto& [rank, load] : newest_attempt->second.loads) {
        const auto found = expected_.find(load.by.job_uid);
        if (found == expected_.end() || found->second.attempt != load.by.attempt) continue;
        const std::int64_t saved = step_of(found->second);
        if (load.step >= saved || !reported_.insert(load.by).second || is_put_aside_unproven(disk, saved, load.step))
          continue;
        object_to("rank " + std::to_string(rank) + " of attempt " + std::to_string(load.by.attempt) +
                  " starts from step " + std::to_string(load.step) + " of volume " + volume +
                  ", and its job was known to have saved step " + std::to_string(saved));
      }
    }
  }

 private:
  struct Expected {
    std::int64_t attempt = 0, step = -1;
    std::string directory = {};
  };

  // True when the record of that start says so. The checkpoint proven before it is loaded, as long as it lies there or
  // was put aside along with it; volumes of a gang may not all have it.
  static bool is_put_aside_unproven(const Disk& disk, std::int64_t step, std::int64_t loaded) {
    if (!disk.is_put_aside_unproven(step)) return false;
    const auto was_proven = [](const auto& between) {
      const DiskCheckpoint& each = between.second;
      return each.complete && each.listed && (each.unproven || !each.quarantined);
    };
    const auto first = disk.checkpoints.upper_bound(loaded), last = disk.checkpoints.find(step);
    return disk.gang_volumes > 1 || std::none_of(first, last, was_proven);
  }

  // When names are not made from the step, the job knows the last number of a name.
  void note_names(const Disk& disk) {
    for (const auto& [step, checkpoint] : disk.checkpoints)
      if (!checkpoint.name.empty()) steps_.emplace(checkpoint.name, step);
  }

  [[nodiscard]] std::int64_t step_of(const Expected& expected) const {
    const auto found = steps_.find(expected.directory);
    return found == steps_.end() ? expected.step : found->second;
  }

  ResourceId jobs_;
  std::map<std::string, Expected> expected_;   // by uid
  std::map<std::string, std::int64_t> steps_;  // by directory; one that has gone must not be forgotten
  std::set<TrainerId> reported_;
};

}  // namespace

std::unique_ptr<Invariant> resumes_newest(const EventLoop& loop) {
  return std::make_unique<ResumesNewest>(loop);
}

std::unique_ptr<Invariant> resume_point_stays(const ApiServer& api) {
  return std::make_unique<ResumePointStays>(api);
}

std::unique_ptr<Invariant> loses_nothing_unsaid(const ApiServer& api) {
  return std::make_unique<LosesNothingUnsaid>(api);
}

}  // namespace reprise::simulator
