#include <algorithm>
#include <string>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

// A fifth of the grace, at most so much, is for the end and its record.
constexpr runtime::Duration kLongestMargin{10'000};

class StopLetsSave final : public Invariant {
 public:
  [[nodiscard]] std::string_view name() const override { return "stop-lets-save"; }

  void on_step(const Disks& /*disks*/, const TrainingLog& training, const Objection& object_to) override {
    for (; judged_ < training.cut_short.size(); ++judged_) {
      const SaveCutShort& each = training.cut_short[judged_];
      const runtime::Duration time = each.left - std::min(each.grace / 5, kLongestMargin);
      if (each.needed >= time) continue;
      object_to("trainer of pod " + each.by.pod_uid + " lost the processes that it saved with " +
                std::to_string(each.needed.count()) + " ms before its checkpoint would have been complete, with " +
                std::to_string(each.left.count()) + " ms of its grace left");
    }
  }

 private:
  std::size_t judged_ = 0;
};

}  // namespace

std::unique_ptr<Invariant> stop_lets_save() {
  return std::make_unique<StopLetsSave>();
}

}  // namespace reprise::simulator
