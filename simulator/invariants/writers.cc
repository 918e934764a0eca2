#include "simulator/invariants/laws.h"

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
  [[nodiscard]] std::string_view law() const override { return "single-writer"; }

  void on_step(const Disks& disks, const TrainingLog& /*training*/, const Objection& object_to) override {
    for (const auto& [volume, disk] : disks.by_volume) {
      if (disk.writers.size() < 2) continue;
      const TrainerId& first = *disk.writers.begin();
      for (const TrainerId& other : disk.writers) {
        if (other.job_uid == first.job_uid && other.attempt == first.attempt) continue;
        if (told_.emplace(volume, first, other).second)
          object_to("volume " + volume + " can be written to by " + text_of(first) + " and by " + text_of(other));
      }
    }
  }

 private:
  std::set<std::tuple<std::string, TrainerId, TrainerId>> told_;
};

class OneResumeStep final : public Invariant {
 public:
  [[nodiscard]] std::string_view law() const override { return "one-resume-step"; }

  void on_step(const Disks& /*disks*/, const TrainingLog& training, const Objection& object_to) override {
    for (; seen_ < training.starts.size(); ++seen_) {
      const auto& start = training.starts[seen_];
      const auto [known, first] = steps_.try_emplace({start.who.job_uid, start.who.attempt}, start.step);
      if (!first && known->second != start.step)
        object_to(text_of(start.who) + " loaded step " + std::to_string(start.step) + ", another rank step " +
                  std::to_string(known->second));
    }
  }

 private:
  std::size_t seen_ = 0;
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> steps_;
};

}  // namespace

std::unique_ptr<Invariant> single_writer() {
  return std::make_unique<SingleWriter>();
}

std::unique_ptr<Invariant> one_resume_step() {
  return std::make_unique<OneResumeStep>();
}

}  // namespace reprise::simulator
