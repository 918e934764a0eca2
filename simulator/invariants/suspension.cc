#include <map>
#include <string>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

bool is_at_limit(const Value& job) {
  const std::int64_t limit = number(job, {"spec", "interruption", "limit"});
  // A job that its pool has moved has lost nothing to the market.
  const std::int64_t planned = number(job, {"status", "plannedInterruptions"});
  return limit > 0 && number(job, {"status", "interruptionCount"}) - planned >= limit;
}

bool fails_for_deadline(const Value& job) {
  for (const Value& each : array(job, {"status", "conditions"}))
    if (text(each, {"type"}) == "Failed" && text(each, {"status"}) == "True")
      return text(each, {"reason"}) == "DeadlineExceeded";
  return false;
}

// No attempt begins at the limit, whatever was suspended meanwhile.
class LimitHolds final : public Invariant {
 public:
  explicit LimitHolds(const ApiServer& api) : jobs_(api.resource("reprise.dev", "resumablejobs")) {}
  [[nodiscard]] std::string_view name() const override { return "limit-holds"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource != jobs_ || change.change != Change::Modified) return;
    const Value &before = *change.before, &job = *change.object;
    if (number(job, {"status", "attempt"}) <= number(before, {"status", "attempt"}) || !is_at_limit(before)) return;
    object_to("job " + std::string(name_of(job)) + " begins an attempt after " +
              std::to_string(number(before, {"status", "interruptionCount"})) + " interruptions, and its limit is " +
              std::to_string(number(job, {"spec", "interruption", "limit"})));
  }

 private:
  ResourceId jobs_;
};

class DeadlineCountsRunning final : public Invariant {
 public:
  DeadlineCountsRunning(const ApiServer& api, const EventLoop& loop)
      : jobs_(api.resource("reprise.dev", "resumablejobs")), loop_(loop) {}
  [[nodiscard]] std::string_view name() const override { return "deadline-counts-running"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource != jobs_) return;
    const Value& job = *change.object;
    const std::string uid(uid_of(job));
    const bool first = began_.try_emplace(uid, loop_.now()).second;
    if (first || !change.before) return;
    if (flag(*change.before, {"spec", "suspend"}) && !flag(job, {"spec", "suspend"})) began_[uid] = loop_.now();
    if (!fails_for_deadline(job) || fails_for_deadline(*change.before)) return;
    const std::chrono::seconds allowed(number(job, {"spec", "activeDeadlineSeconds"}));
    const Duration took = loop_.now() - began_[uid];
    if (took + clocks_apart < allowed)
      object_to("job " + std::string(name_of(job)) + " fails for its deadline of " + std::to_string(allowed.count()) +
                " s, and runs since " + std::to_string(took.count() / 1000) + " s");
  }

 private:
  // Two operators, each of whose clocks may be five minutes off.
  static constexpr Duration clocks_apart{11 * 60'000};

  ResourceId jobs_;
  const EventLoop& loop_;
  std::map<std::string, Duration> began_;  // or went on after a suspend, by uid
};

}  // namespace

std::unique_ptr<Invariant> limit_holds(const ApiServer& api) {
  return std::make_unique<LimitHolds>(api);
}

std::unique_ptr<Invariant> deadline_counts_running(const ApiServer& api, const EventLoop& loop) {
  return std::make_unique<DeadlineCountsRunning>(api, loop);
}

}  // namespace reprise::simulator
