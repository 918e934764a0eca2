#include "rehearsal/outcome/undisturbed.h"

#include <algorithm>

#include "rehearsal/outcome/weights.h"
#include "rehearsal/plan/recorded_spot.h"
#include "rehearsal/rehearsing.h"

namespace reprise::rehearsal {
namespace {

namespace fs = std::filesystem;
using simulator::Value;
using State = WeightsFacts::State;

bool ended(const ReportedJob& job) {
  return job.facts.outcome == JobFacts::Outcome::Complete;
}

class Verifying {
 public:
  Verifying(const RehearsalPlan& plan, const std::vector<RehearsedJob>& jobs, const Value& pool,
            const RehearsalObserver& observer)
      : plan_(plan), jobs_(jobs), pool_(pool), observer_(observer) {}

  void run(ReportedRun& disturbed) {
    if (!std::ranges::all_of(disturbed.jobs, ended))
      return nothing(disturbed, "the training had not ended when the rehearsal was over");
    const auto first = undisturbed("undisturbed");
    if (!first) return nothing(disturbed, "without interruptions: " + first.error().message);
    if (!compare(disturbed, *first)) return;
    const auto second = undisturbed("undisturbed-again");
    for (std::size_t i = 0; i < disturbed.jobs.size(); ++i) {
      WeightsFacts& weights = disturbed.jobs[i].facts.weights;
      if (weights.state != State::Different) continue;
      if (!second || !ended(second->jobs[i])) {
        weights = {State::NotCompared, "they differ (" + weights.what +
                                           "), and a second run without interruptions, which tells whether they do "
                                           "so by themselves, did not end"};
      } else if (const auto different = differences(first->jobs[i], second->jobs[i]); !different.empty()) {
        weights = {State::Arbitrary, joined(different)};
      }
    }
  }

 private:
  runtime::Result<ReportedRun> undisturbed(const char* directory) const {
    RehearsalPlan plan = plan_;
    plan.interrupt_every = runtime::Duration{0};
    plan.own_pace = false;
    plan.to_the_end = true;
    plan.work_directory = plan_.work_directory / directory;
    // Capacity that stays.
    const auto& zones = plan_.spot.zones;
    plan.spot = steady_spot_plan(zones.front().name, zones.front().price_per_hour);
    std::error_code problem;
    fs::create_directories(plan.work_directory, problem);
    if (problem)
      return runtime::fail(runtime::ErrorClass::Invalid, plan.work_directory.string() + ": " + problem.message());
    Rehearsing rehearsing(plan, jobs_, observer_);
    return rehearsing.run(pool_);
  }

  static void nothing(ReportedRun& run, const std::string& why) {
    for (ReportedJob& job : run.jobs) job.facts.weights = {State::NotCompared, why};
  }

  [[nodiscard]] std::vector<std::string> differences(const ReportedJob& one, const ReportedJob& other) const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < one.volumes.size() && i < other.volumes.size(); ++i)
      for (std::string& each : compare_weights({.one = one.volumes[i], .other = other.volumes[i], .format = one.format},
                                               plan_.compare, plan_.work_directory / "compare.log"))
        all.push_back(std::move(each));
    return all;
  }

  static std::string joined(const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& each : all) text += (text.empty() ? "" : ", ") + each;
    return text;
  }

  // True when any weights differ.
  bool compare(ReportedRun& disturbed, const ReportedRun& calm) const {
    bool any = false;
    for (std::size_t i = 0; i < disturbed.jobs.size(); ++i) {
      WeightsFacts& weights = disturbed.jobs[i].facts.weights;
      if (!ended(calm.jobs[i])) {
        weights = {State::NotCompared,
                   "without interruptions the training did not end" +
                       (calm.jobs[i].facts.message.empty() ? "" : ": " + calm.jobs[i].facts.message)};
        continue;
      }
      const auto different = differences(disturbed.jobs[i], calm.jobs[i]);
      weights = {different.empty() ? State::Equal : State::Different, joined(different)};
      any = any || !different.empty();
    }
    return any;
  }

  const RehearsalPlan& plan_;
  const std::vector<RehearsedJob>& jobs_;
  const Value& pool_;
  const RehearsalObserver& observer_;
};

}  // namespace

void verify_weights(const RehearsalPlan& plan, const std::vector<RehearsedJob>& jobs, const Value& pool,
                    const RehearsalObserver& observer, ReportedRun& run) {
  const bool all = std::ranges::all_of(run.jobs, [](const ReportedJob& job) { return job.verdict.survived(); });
  if (all) Verifying(plan, jobs, pool, observer).run(run);
}

}  // namespace reprise::rehearsal
