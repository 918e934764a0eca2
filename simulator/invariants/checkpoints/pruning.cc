#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

class DataStays final : public Invariant {
 public:
  [[nodiscard]] std::string_view name() const override { return "data-stays"; }

  void on_step(const Disks& disks, const TrainingLog& training, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      const auto object_to_loss = [&](const std::string& what) {
        if (!training.tampered.contains(volume))
          object_to(what + " of volume " + volume + " is gone, and no trainer had made it");
      };
      compare(known_[volume].directories, disk.data,
              [&](const std::string& gone) { object_to_loss("directory " + gone); });
      compare(known_[volume].files, disk.beside, [&](const std::string& gone) {
        if (!disk.tidied.contains(gone)) object_to_loss("file " + gone);
      });
    }
  }

 private:
  struct Known {
    std::set<std::string> directories, files;
  };

  static void compare(std::set<std::string>& known, const auto& there, const auto& tell) {
    if (std::ranges::equal(known, there | std::views::keys)) return;
    for (const std::string& each : known)
      if (!there.contains(each)) tell(each);
    known.clear();
    for (const auto& each : there) known.insert(each.first);
  }

  std::map<std::string, Known> known_;  // by volume
};

// As many calls as were counted: some for each directory, more for deletions. Below folders, among other files and into
// those of a library's checkpoint it takes more. An agent looks into at most `directories_of_a_look` directories.
constexpr std::ptrdiff_t directories_of_a_look = 256;
int calls_of_a_look(const Disk& disk) {
  constexpr int of_each_checkpoint = 15;
  return (disk.folders.empty() ? 60 : 200) + of_each_checkpoint * static_cast<int>(disk.checkpoints.size());
}

// A checkpoint that appears within one look before its agent ends is in no list, so no later agent may delete it
// (docs/decisions/checkpoints/0015-order-and-pruning.md).
class Unseen {
 public:
  void note_ends(const std::string& volume, const Disk& disk) {
    const auto attempt = disk.attempts.find(disk.fence_attempt);
    if (attempt == disk.attempts.end()) return;
    const auto heartbeat = attempt->second.heartbeats.find(0);
    if (heartbeat == attempt->second.heartbeats.end()) return;
    const auto which = std::tuple(volume, heartbeat->second.job_uid, attempt->first);
    if (!heartbeat->second.until) {  // another agent of that rank runs, and can list what it sees
      ends_.erase(which);
      return;
    }
    ends_[which] = std::min(*heartbeat->second.until, heartbeat->second.held_from.value_or(*heartbeat->second.until));
  }

  [[nodiscard]] bool has(const std::string& volume, const Disk& disk, const DiskCheckpoint& checkpoint) const {
    const auto end = ends_.find({volume, checkpoint.by.job_uid, checkpoint.by.attempt});
    if (end == ends_.end() || is_listed(disk, checkpoint)) return false;
    const Duration look = period + std::max(disk.traits.call, quickest_call) * calls_of_a_look(disk);
    return end->second - checkpoint.time <= look;
  }

 private:
  static constexpr Duration period{1'000}, quickest_call{5};

  static bool is_listed(const Disk& disk, const DiskCheckpoint& checkpoint) {
    const std::string name = "\"" + checkpoint.directory() + "\"";
    return std::ranges::any_of(disk.texts, [&](const auto& each) {
      return each.first.starts_with(".reprise/made/") && each.second.contains(name);
    });
  }

  std::map<std::tuple<std::string, std::string, std::int64_t>, Duration> ends_;  // by job and attempt, for index 0
};

// The resume point stays as long as its attempt (docs/decisions/checkpoints/0013-gang-resume-point.md).
class OldestGoFirst final : public Invariant {
 public:
  [[nodiscard]] std::string_view name() const override { return "oldest-go-first"; }

  void on_step(const Disks& disks, const TrainingLog& training, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      unseen_.note_ends(volume, disk);
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

  void judge(const std::string& volume, const Disk& disk, const Made& there,
             const std::pair<std::int64_t, std::string>& gone, const Objection& object_to) const {
    const auto& [step, job_uid] = gone;
    if (disk.checkpoints.contains(step) || disk.rotated.contains(step)) return;
    for (const auto& [older, its_job] : there) {
      if (older >= step) return;
      if (its_job != job_uid) continue;  // a job before it on the same volume
      const auto attempt = disk.attempts.find(disk.fence_attempt);
      const bool resumed_from =
          attempt != disk.attempts.end() && attempt->second.resume && attempt->second.resume->step == older;
      if (!resumed_from && !unseen_.has(volume, disk, disk.checkpoints.at(older)))
        return object_to("checkpoint " + std::to_string(step) + " of volume " + volume + " is deleted, and the older " +
                         std::to_string(older) + " stays");
    }
  }

  Unseen unseen_;
  std::map<std::string, Made> known_;  // by volume: complete and durable
};

class CheckpointsAreFew final : public Invariant {
 public:
  CheckpointsAreFew(const ApiServer& api, const EventLoop& loop)
      : jobs_(api.resource("reprise.dev", "resumablejobs")), loop_(loop) {}
  [[nodiscard]] std::string_view name() const override { return "checkpoints-are-few"; }

  void on_change(const ObjectChange& change, const Objection& /*object_to*/) override {
    if (change.resource != jobs_) return;
    const Value& job = *change.object;
    const bool dated =
        text(job, {"spec", "template", "metadata", "annotations", "simulate.reprise.dev/names"}) == "Dates";
    // No checkpoint goes unless the job says how many stay.
    const bool unsaid = find(job, {"spec", "checkpoint", "keep"}) == nullptr;
    allowed_[std::string(uid_of(job))] =
        dated || unsaid ? std::nullopt : std::optional(number(job, {"spec", "checkpoint", "keep"}) + 2);
  }

  void on_step(const Disks& disks, const TrainingLog& training, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      unseen_.note_ends(volume, disk);
      const auto allowed = allowed_.find(disk.fence_job_uid);
      const Duration time_of_a_look =
          idle_timeout + disk.traits.call * calls_of_a_look(disk) + disk.traits.flush * syncs_of_a_look;
      std::int64_t there = count(disk, loop_.now() - time_of_a_look);
      if (allowed != allowed_.end() && there > allowed->second) there -= count_unseen(volume, disk);
      // An agent that cannot look cannot delete either.
      const bool looks = !disk.writers.empty() && disk.standing_still.empty() && !training.tampered.contains(volume);
      // Volumes on which nothing is deleted: without a complete checkpoint the trainer may mark none at all
      // (choose_resume.cc); where every rank has a volume, deletions rest on reports, which nobody makes here; and a
      // look that does not see all justifies no deletion.
      const bool left_alone =
          !disk.newest_complete() || disk.gang_volumes > 1 || std::ssize(disk.folders) > directories_of_a_look;
      if (allowed == allowed_.end() || !allowed->second || there <= *allowed->second || !looks || left_alone) {
        crowded_since_.erase(volume);
        continue;
      }
      const Duration since = crowded_since_.try_emplace(volume, loop_.now()).first->second;
      if (loop_.now() - since < time_of_a_look || !reported_.insert(volume).second) continue;
      object_to("volume " + volume + " holds " + std::to_string(there) + " checkpoints of its job, and may hold " +
                std::to_string(*allowed->second));
    }
  }

 private:
  static constexpr Duration idle_timeout{60'000};
  static constexpr int syncs_of_a_look = 2;  // one may be under way
  // Torn checkpoints that cannot be moved look like one that is being written, as long as their step is the highest.
  // Those of one attempt stay; the next restore deletes them where a later attempt has left one.
  static std::optional<std::int64_t> last_torn_by(const Disk& disk) {
    std::optional<std::int64_t> last;
    if (disk.traits.moves) return last;
    for (const auto& [step, each] : disk.checkpoints)
      if (!each.complete && !each.quarantined && each.by.job_uid == disk.fence_job_uid &&
          each.by.attempt < disk.fence_attempt && step > disk.newest_complete())
        last = std::max(last.value_or(0), each.by.attempt);
    return last;
  }

  // The last attempt that has made a complete one: torn checkpoints go only behind a later one
  // (docs/decisions/checkpoints/0095-generations.md).
  static std::int64_t last_complete_by(const Disk& disk) {
    std::int64_t last = 0;
    for (const auto& [step, each] : disk.checkpoints)
      if (each.complete && !each.quarantined && each.by.job_uid == disk.fence_job_uid && each.unsynced_on.empty())
        last = std::max(last, each.by.attempt);
    return last;
  }

  // Saves can follow each other faster than looks and deletions: checkpoints completed later than `seen` do not count.
  static std::int64_t count(const Disk& disk, Duration seen) {
    const auto torn_by = last_torn_by(disk);
    const std::int64_t complete_by = last_complete_by(disk);
    const auto in_place = std::ranges::count_if(disk.checkpoints, [&](const auto& each) {
      const DiskCheckpoint& checkpoint = each.second;
      const bool looks_written = !checkpoint.complete && checkpoint.by.attempt == torn_by;
      const bool is_needed = !checkpoint.complete && checkpoint.by.attempt >= complete_by;
      const bool is_recent = checkpoint.complete && checkpoint.time > seen;
      // A never-proven checkpoint causes no deletion, and itself goes because of the next.
      const bool stands_alone = checkpoint.hollow && each.first > disk.newest_durable();
      return !checkpoint.quarantined && checkpoint.by.job_uid == disk.fence_job_uid && !looks_written && !is_needed &&
             !is_recent && !stands_alone;
    });
    if (complete_by < disk.fence_attempt) return in_place;
    return in_place + std::ranges::count_if(disk.aside, [](const DiskAside& each) { return each.place == "torn"; });
  }

  [[nodiscard]] std::int64_t count_unseen(const std::string& volume, const Disk& disk) const {
    return std::ranges::count_if(disk.checkpoints, [&](const auto& each) {
      const DiskCheckpoint& checkpoint = each.second;
      return checkpoint.complete && !checkpoint.quarantined && checkpoint.by.job_uid == disk.fence_job_uid &&
             unseen_.has(volume, disk, checkpoint);
    });
  }

  ResourceId jobs_;
  const EventLoop& loop_;
  Unseen unseen_;
  std::map<std::string, std::optional<std::int64_t>> allowed_;  // by uid of the job
  std::map<std::string, Duration> crowded_since_;
  std::set<std::string> reported_;
};

// A deletion leaves as many newer checkpoints as the job wants, one of them durable.
class KeepsEnough final : public Invariant {
 public:
  explicit KeepsEnough(const ApiServer& api) : jobs_(api.resource("reprise.dev", "resumablejobs")) {}
  [[nodiscard]] std::string_view name() const override { return "keeps-enough"; }

  void on_change(const ObjectChange& change, const Objection& /*object_to*/) override {
    if (change.resource != jobs_) return;
    const Value& job = *change.object;
    if (find(job, {"spec", "checkpoint", "keep"}) != nullptr)
      keep_[std::string(uid_of(job))] = number(job, {"spec", "checkpoint", "keep"});
  }

  void on_step(const Disks& disks, const TrainingLog& training, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      Made there;
      for (const auto& [step, each] : disk.checkpoints)
        if (each.complete && !each.quarantined && each.unsynced_on.empty()) there[step] = each.by.job_uid;
      Made& known = known_[volume];
      if (known == there) continue;
      for (const auto& [step, job_uid] : known)
        if (!disk.checkpoints.contains(step) && !disk.rotated.contains(step) && !training.tampered.contains(volume))
          judge(volume, disk, {step, job_uid}, object_to);
      known = std::move(there);
    }
  }

 private:
  using Made = std::map<std::int64_t, std::string>;  // by which job, by step

  void judge(const std::string& volume, const Disk& disk, const std::pair<std::int64_t, std::string>& gone,
             const Objection& object_to) const {
    const std::string what = "checkpoint " + std::to_string(gone.first) + " of volume " + volume + " is deleted, ";
    const auto keep = keep_.find(gone.second);
    if (keep == keep_.end()) return object_to(what + "and its job does not say how many stay");
    std::int64_t newer = 0;
    for (const auto& [step, each] : disk.checkpoints)
      if (step > gone.first && each.complete && !each.quarantined) ++newer;
    if (newer < keep->second || disk.newest_durable() < gone.first)
      object_to(what + "and " + std::to_string(newer) + " newer ones are there: its job wants " +
                std::to_string(keep->second));
  }

  ResourceId jobs_;
  std::map<std::string, std::int64_t> keep_;  // by uid of the job; those that say nothing are not there
  std::map<std::string, Made> known_;         // by volume: complete and durable
};

}  // namespace

std::unique_ptr<Invariant> keeps_enough(const ApiServer& api) {
  return std::make_unique<KeepsEnough>(api);
}

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
