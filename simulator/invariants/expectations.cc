#include <optional>
#include <string>

#include "runtime/kube/time.h"
#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

constexpr const char* kAccept = "reprise.dev/accept-checkpoint";

class ExpectationsFallForAReason final : public Invariant {
 public:
  explicit ExpectationsFallForAReason(const ApiServer& api) : jobs_(api.resource("reprise.dev", "resumablejobs")) {}
  [[nodiscard]] std::string_view name() const override { return "expectations-fall-for-a-reason"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource != jobs_ || change.change != Change::Modified) return;
    const Value &before = *change.before, &job = *change.object;
    const std::int64_t was = number(before, {"status", "checkpoint", "step"}, -1);
    const std::int64_t is = number(job, {"status", "checkpoint", "step"}, -1);
    if (is < 0 || is >= was || was_saved_later(before, job) || was_put_aside(job, was, is)) return;
    if (!text(job, {"metadata", "annotations", kAccept}).empty()) return;
    object_to("job " + std::string(name_of(job)) + " was known to have saved step " + std::to_string(was) +
              ", and expects no more than step " + std::to_string(is) + " any more");
  }

 private:
  static std::optional<kube::Time> saved_at(const Value& job) {
    return kube::parse_time(text(job, {"status", "checkpoint", "time"}));
  }

  // True also when steps begin again, or when the former time is unknown.
  static bool was_saved_later(const Value& before, const Value& job) {
    const auto then = saved_at(before), now = saved_at(job);
    return !then || (now && *now > *then);
  }

  static bool was_put_aside(const Value& job, std::int64_t was, std::int64_t is) {
    const bool now = number(job, {"status", "unproven", "attempt"}) == number(job, {"status", "attempt"});
    const std::int64_t from = number(job, {"status", "unproven", "resumedFromStep"}, -1);
    return now && from >= 0 && from <= is && was <= number(job, {"status", "unproven", "step"}, -1);
  }

  ResourceId jobs_;
};

}  // namespace

std::unique_ptr<Invariant> expectations_fall_for_a_reason(const ApiServer& api) {
  return std::make_unique<ExpectationsFallForAReason>(api);
}

}  // namespace reprise::simulator
