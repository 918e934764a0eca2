// Invariants about gangs in which every rank has a volume of its own.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

struct Volume {
  std::string name;
  const Disk* disk = nullptr;
};

// All volumes of a job, if there are as many as it has ranks.
std::map<std::string, std::vector<Volume>> gangs_in(const Disks& disks) {
  std::map<std::string, std::vector<Volume>> gangs;
  for (const auto& [name, disk] : disks)
    if (disk.gang_volumes > 1 && !disk.fence_job_uid.empty()) gangs[disk.fence_job_uid].push_back({name, &disk});
  std::erase_if(gangs,
                [](const auto& each) { return std::ssize(each.second) != each.second.front().disk->gang_volumes; });
  return gangs;
}

enum class OnStorage { Any, Durable };

bool has(const Disk& disk, std::int64_t step, OnStorage on) {
  const auto found = disk.checkpoints.find(step);
  return found != disk.checkpoints.end() && found->second.complete && !found->second.quarantined &&
         (on == OnStorage::Any || found->second.unsynced_on.empty());
}

// -1: none.
std::int64_t newest_common(const std::vector<Volume>& volumes, OnStorage on) {
  std::int64_t newest = -1;
  for (const auto& [step, checkpoint] : volumes.front().disk->checkpoints)
    if (std::ranges::all_of(volumes, [&, step = step](const Volume& each) { return has(*each.disk, step, on); }))
      newest = std::max(newest, step);
  return newest;
}

class ResumesCommon final : public Invariant {
 public:
  [[nodiscard]] std::string_view name() const override { return "resumes-common"; }

  void on_step(const Disks& disks, const TrainingLog& training, const Objection& object_to) override {
    for (const auto& [job, volumes] : gangs_in(disks)) {
      const auto loaded = loaded_by_all(volumes);
      if (!loaded || !judged_.emplace(job, volumes.front().disk->fence_attempt).second) continue;
      if (std::ranges::any_of(volumes, [&](const Volume& each) { return training.tampered.contains(each.name); }))
        continue;
      const std::int64_t newest = newest_common(volumes, OnStorage::Any);
      if (*loaded != newest)
        object_to("attempt " + std::to_string(volumes.front().disk->fence_attempt) + " of job " + job +
                  " starts from step " + std::to_string(*loaded) + ", and the newest that all its volumes have is " +
                  std::to_string(newest));
    }
  }

 private:
  // Loaded by the trainers of one attempt; one-resume-step judges a difference.
  static std::optional<std::int64_t> loaded_by_all(const std::vector<Volume>& volumes) {
    std::optional<std::int64_t> step;
    const std::int64_t number = volumes.front().disk->fence_attempt;
    for (const Volume& each : volumes) {
      const auto attempt = each.disk->attempts.find(number);
      const bool loaded = each.disk->fence_attempt == number && attempt != each.disk->attempts.end() &&
                          !attempt->second.loads.empty() &&
                          attempt->second.loads.begin()->second.by.job_uid == each.disk->fence_job_uid;
      if (!loaded) return std::nullopt;
      step = attempt->second.loads.begin()->second.step;
    }
    return step;
  }

  std::set<std::pair<std::string, std::int64_t>> judged_;  // job, attempt
};

class CommonCheckpointStays final : public Invariant {
 public:
  [[nodiscard]] std::string_view name() const override { return "common-checkpoint-stays"; }

  void on_step(const Disks& disks, const TrainingLog& training, const Objection& object_to) override {
    for (const auto& [job, volumes] : gangs_in(disks)) {
      const std::int64_t newest = newest_common(volumes, OnStorage::Durable);
      std::int64_t& known = newest_.try_emplace(job, -1).first->second;
      if (newest < known && std::ranges::none_of(volumes, [&, at = known](const Volume& each) {
            return training.tampered.contains(each.name) || each.disk->rotated.contains(at) || renounces(*each.disk);
          }))
        object_to("the newest durable checkpoint that all volumes of job " + job + " have was step " +
                  std::to_string(known) + " and is step " + std::to_string(newest));
      known = newest;
    }
  }

 private:
  static bool renounces(const Disk& disk) {
    const auto* attempt = disk.newest_attempt();
    return attempt != nullptr &&
           (attempt->second.renounces || (attempt->second.resume && attempt->second.resume->from_scratch));
  }

  std::map<std::string, std::int64_t> newest_;  // by uid of the job
};

}  // namespace

std::unique_ptr<Invariant> resumes_common() {
  return std::make_unique<ResumesCommon>();
}

std::unique_ptr<Invariant> common_checkpoint_stays() {
  return std::make_unique<CommonCheckpointStays>();
}

}  // namespace reprise::simulator
