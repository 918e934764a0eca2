#include <set>
#include <string>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

class LoadsWhole final : public Invariant {
 public:
  [[nodiscard]] std::string_view name() const override { return "loads-whole"; }

  void on_step(const Disks& disks, const TrainingLog& /*training*/, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks) {
      const auto* newest_attempt = disk.newest_attempt();
      if (newest_attempt == nullptr) continue;
      for (const auto& [rank, load] : newest_attempt->second.loads) {
        if (!judged_.insert(load.by).second) continue;
        const auto found = disk.checkpoints.find(load.step);
        if (found == disk.checkpoints.end() || !found->second.hollow) continue;
        object_to("rank " + std::to_string(rank) + " of attempt " + std::to_string(load.by.attempt) + " loads step " +
                  std::to_string(load.step) + " of volume " + volume + ", whose bytes never reached the disk");
      }
    }
  }

 private:
  std::set<TrainerId> judged_;
};

}  // namespace

std::unique_ptr<Invariant> loads_whole() {
  return std::make_unique<LoadsWhole>();
}

}  // namespace reprise::simulator
