#include "simulator/invariants/invariants.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>

namespace reprise::simulator {
namespace {

std::string text_of(const TrainerId& trainer) {
  return "attempt " + std::to_string(trainer.attempt) + " rank " + std::to_string(trainer.rank) + " of job " +
         trainer.job_uid;
}

class SingleWriter final : public Invariant {
 public:
  [[nodiscard]] std::string_view name() const override { return "single-writer"; }

  void on_step(const Disks& disks, const TrainingLog& /*training*/, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      if (disk.writers.size() < 2) continue;
      // A trainer that stands still writes nothing. One that has just gone on looks at the fence with its next
      // heartbeat: no more is promised for a machine whose end somebody confirmed.
      const auto writes = [&](const TrainerId& id) {
        return !disk.standing_still.contains(id) && !disk.waking.contains(id);
      };
      const auto found = std::ranges::find_if(disk.writers, writes);
      if (found == disk.writers.end()) continue;
      const TrainerId& first = *found;
      for (const TrainerId& other : disk.writers) {
        if (!writes(other)) continue;
        if (other.job_uid == first.job_uid && other.attempt == first.attempt) continue;
        if (reported_.emplace(volume, first, other).second)
          object_to("volume " + volume + " can be written to by " + text_of(first) + " and by " + text_of(other));
      }
    }
  }

 private:
  std::set<std::tuple<std::string, TrainerId, TrainerId>> reported_;
};

class FencedTrainersEnd final : public Invariant {
 public:
  explicit FencedTrainersEnd(const EventLoop& loop) : loop_(loop) {}
  [[nodiscard]] std::string_view name() const override { return "fenced-trainers-end"; }

  void on_step(const Disks& disks, const TrainingLog& /*training*/, const Objection& object_to) override {
    std::map<Key, Duration> fenced;
    for (const auto& [volume, disk] : disks)
      for (const TrainerId& each : disk.writers)
        if (is_behind_the_fence(disk, each) && can_see_it(disk, each)) {
          const Key key{volume, each};
          const auto before = since_.find(key);
          fenced.emplace(key, before == since_.end() ? loop_.now() : before->second);
        }
    since_ = std::move(fenced);
    for (const auto& [key, since] : since_) {
      const Duration lasted = loop_.now() - since, allowed = allowed_on(disks.at(key.first), key.second);
      if (lasted <= allowed || !reported_.insert(key).second) continue;
      object_to(text_of(key.second) + " goes on for " + std::to_string(lasted.count() / 1000) +
                " s behind the fence of attempt " + std::to_string(disks.at(key.first).fence_attempt) + " on volume " +
                key.first + ", and its agent was to end it within " + std::to_string(allowed.count() / 1000) + " s");
    }
  }

 private:
  using Key = std::pair<std::string, TrainerId>;

  static bool is_behind_the_fence(const Disk& disk, const TrainerId& id) {
    return id.job_uid == disk.fence_job_uid && id.attempt < disk.fence_attempt;
  }
  static bool can_see_it(const Disk& disk, const TrainerId& id) {
    return !disk.standing_still.contains(id) && !disk.waking.contains(id);
  }
  // Allows some heartbeats, each of which looks at the fence, by calls that take this volume's time.
  static Duration allowed_on(const Disk& disk, const TrainerId& id) {
    constexpr int kHeartbeats = 4, kCalls = 100;
    Duration period{5'000};
    if (const auto attempt = disk.attempts.find(id.attempt); attempt != disk.attempts.end())
      if (const auto heart = attempt->second.heartbeats.find(id.rank); heart != attempt->second.heartbeats.end())
        period = std::max(heart->second.period, heart->second.written_period);
    return kHeartbeats * period + kCalls * disk.traits.call;
  }

  const EventLoop& loop_;
  std::map<Key, Duration> since_;  // trainers that can see the fence, and go on
  std::set<Key> reported_;
};

class OneResumeStep final : public Invariant {
 public:
  [[nodiscard]] std::string_view name() const override { return "one-resume-step"; }

  void on_step(const Disks& disks, const TrainingLog& /*training*/, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      for (const auto& [number, attempt] : disk.attempts) {
        if (attempt.loads.size() < 2) continue;
        const DiskLoad& first = attempt.loads.begin()->second;
        for (const auto& [rank, load] : attempt.loads) {
          if (load.step == first.step || load.by.job_uid != first.by.job_uid) continue;
          if (reported_.emplace(load.by).second)
            object_to(text_of(load.by) + " loaded step " + std::to_string(load.step) + ", rank " +
                      std::to_string(first.by.rank) + " step " + std::to_string(first.step));
        }
      }
    }
    for (const auto& [volume, disk] : disks)
      if (disk.gang_volumes > 1) judge_volumes_each(disk, object_to);
    first_.clear();
  }

 private:
  // Compares with the load of the first of its ranks, by job and attempt.
  void judge_volumes_each(const Disk& disk, const Objection& object_to) {
    const auto attempt = disk.attempts.find(disk.fence_attempt);
    if (attempt == disk.attempts.end()) return;
    for (const auto& [rank, load] : attempt->second.loads) {
      if (load.by.job_uid != disk.fence_job_uid) continue;
      const DiskLoad& first = *first_.try_emplace({load.by.job_uid, attempt->first}, &load).first->second;
      if (load.step == first.step || !reported_.emplace(load.by).second) continue;
      object_to(text_of(load.by) + " loaded step " + std::to_string(load.step) + " of its volume, rank " +
                std::to_string(first.by.rank) + " step " + std::to_string(first.step) + " of its own");
    }
  }

  std::map<std::pair<std::string, std::int64_t>, const DiskLoad*> first_;
  std::set<TrainerId> reported_;
};

class LooksAreShort final : public Invariant {
 public:
  [[nodiscard]] std::string_view name() const override { return "looks-are-short"; }

  void on_step(const Disks& disks, const TrainingLog& /*training*/, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      if (disk.longest_look <= kMostFiles || !reported_.insert(volume).second) continue;
      object_to("an agent reads " + std::to_string(disk.longest_look) + " files of volume " + volume +
                " in one look for other writers");
    }
  }

 private:
  static constexpr std::int64_t kMostFiles = 400;  // two seconds at five milliseconds each
  std::set<std::string> reported_;
};

}  // namespace

std::unique_ptr<Invariant> looks_are_short() {
  return std::make_unique<LooksAreShort>();
}

std::unique_ptr<Invariant> single_writer() {
  return std::make_unique<SingleWriter>();
}

std::unique_ptr<Invariant> fenced_trainers_end(const EventLoop& loop) {
  return std::make_unique<FencedTrainersEnd>(loop);
}

std::unique_ptr<Invariant> one_resume_step() {
  return std::make_unique<OneResumeStep>();
}

}  // namespace reprise::simulator
