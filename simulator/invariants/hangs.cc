#include <algorithm>
#include <string>
#include <string_view>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

class HangsAreEnded final : public Invariant {
 public:
  [[nodiscard]] std::string_view name() const override { return "hangs-are-ended"; }

  void on_step(const Disks& /*disks*/, const TrainingLog& training, const Objection& object_to) override {
    for (; judged_ < training.hangs.size(); ++judged_) {
      const EndedHang& each = training.hangs[judged_];
      if (each.allowed == Duration{0} || each.lasted <= each.allowed) continue;
      object_to("trainer of pod " + each.by.pod_uid + " hung for " + std::to_string(each.lasted.count() / 1000) +
                " s, and its agent was to end it within " + std::to_string(each.allowed.count() / 1000) + " s");
    }
  }

 private:
  std::size_t judged_ = 0;
};

std::string_view cause_of_end(const Value& job) {
  return text(job, {"status", "lastEnd", "cause"});
}

class HangsCountNothing final : public Invariant {
 public:
  HangsCountNothing(const ApiServer& api, const TrainingLog& training)
      : jobs_(api.resource("reprise.dev", "resumablejobs")), training_(training) {}
  [[nodiscard]] std::string_view name() const override { return "hangs-count-nothing"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource != jobs_ || change.change != Change::Modified) return;
    const Value &before = *change.before, &job = *change.object;
    const std::int64_t attempt = number(job, {"status", "lastEnd", "attempt"});
    if (attempt == number(before, {"status", "lastEnd", "attempt"}) || cause_of_end(job) != "Hung") return;
    for (const char* counter : {"interruptionCount", "failures"})
      if (number(before, {"status", counter}) != number(job, {"status", counter}))
        object_to("the hang of attempt " + std::to_string(attempt) + " of job " + std::string(name_of(job)) +
                  " counts among its " + counter);
    const bool stood = std::ranges::any_of(
        training_.stood, [&](const TrainerId& each) { return each.job_uid == uid_of(job) && each.attempt == attempt; });
    if (!stood)
      object_to("attempt " + std::to_string(attempt) + " of job " + std::string(name_of(job)) +
                " ends as hung, and its trainers went on");
  }

 private:
  ResourceId jobs_;
  const TrainingLog& training_;
};

}  // namespace

std::unique_ptr<Invariant> hangs_are_ended() {
  return std::make_unique<HangsAreEnded>();
}

std::unique_ptr<Invariant> hangs_count_nothing(const ApiServer& api, const TrainingLog& training) {
  return std::make_unique<HangsCountNothing>(api, training);
}

}  // namespace reprise::simulator
