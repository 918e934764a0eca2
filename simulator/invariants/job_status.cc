#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

// An invariant about the status of jobs, called with each version of each job.
class OfJobs : public Invariant {
 public:
  explicit OfJobs(const ApiServer& api) : jobs_(api.resource("reprise.dev", "resumablejobs")) {}
  void on_change(const ObjectChange& change, const Objection& object_to) final {
    if (change.resource == jobs_ && change.before && change.change == Change::Modified)
      on_job(*change.before, *change.object, object_to);
  }
  virtual void on_job(const Value& before, const Value& now, const Objection& object_to) = 0;

 private:
  ResourceId jobs_;
};

std::map<std::string, std::int64_t> interruptions_by_reason(const Value& job) {
  std::map<std::string, std::int64_t> counts;
  for (const Value& each : array(job, {"status", "interruptions"}))
    counts[std::string(text(each, {"reason"}))] += number(each, {"count"});
  return counts;
}

class CountersGrow final : public OfJobs {
 public:
  using OfJobs::OfJobs;
  [[nodiscard]] std::string_view name() const override { return "counters-grow"; }
  void on_job(const Value& before, const Value& now, const Objection& object_to) override {
    const auto grows = [&](const char* counter, std::int64_t was, std::int64_t is) {
      if (is < was)
        object_to(std::string(counter) + " of job " + std::string(name_of(now)) + " went from " + std::to_string(was) +
                  " to " + std::to_string(is));
    };
    for (const char* counter : {"attempt", "failures", "lostSeconds", "interruptionCount", "plannedInterruptions"})
      grows(counter, number(before, {"status", counter}), number(now, {"status", counter}));
    auto counts = interruptions_by_reason(now);
    for (const auto& [reason, count] : interruptions_by_reason(before))
      grows(("interruptions for " + reason).c_str(), count, counts[reason]);
  }
};

class TerminalStays final : public OfJobs {
 public:
  using OfJobs::OfJobs;
  [[nodiscard]] std::string_view name() const override { return "terminal-stays"; }
  void on_job(const Value& before, const Value& now, const Objection& object_to) override {
    for (const char* type : {"Complete", "Failed"}) {
      if (condition(before, type) == "True" && condition(now, type) != "True")
        object_to("job " + std::string(name_of(now)) + " was " + type + " and is so no more");
      if (condition(before, type) == "True" &&
          number(before, {"status", "attempt"}) != number(now, {"status", "attempt"}))
        object_to("job " + std::string(name_of(now)) + " was " + type + " and begins another attempt");
    }
  }
};

}  // namespace

namespace {

std::string_view of_condition(const Value& object, std::string_view type, const char* field) {
  for (const Value& each : array(object, {"status", "conditions"}))
    if (text(each, {"type"}) == type) return text(each, {field});
  return {};
}

}  // namespace

std::string_view condition(const Value& object, std::string_view type) {
  return of_condition(object, type, "status");
}

std::string_view reason(const Value& object, std::string_view type) {
  return of_condition(object, type, "reason");
}

bool has_ended(const Value& job) {
  return condition(job, "Complete") == "True" || condition(job, "Failed") == "True";
}

std::unique_ptr<Invariant> counters_grow(const ApiServer& api) {
  return std::make_unique<CountersGrow>(api);
}

std::unique_ptr<Invariant> terminal_stays(const ApiServer& api) {
  return std::make_unique<TerminalStays>(api);
}

}  // namespace reprise::simulator
