// One run of a rehearsal, from the first pod to the facts seen of it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rehearsal/interrupter.h"
#include "rehearsal/live/rehearsal_moment.h"
#include "rehearsal/outcome/build_report.h"
#include "rehearsal/outcome/outcome.h"
#include "rehearsal/plan/rehearsal_plan.h"
#include "rehearsal/stage.h"

namespace reprise::rehearsal {

class Rehearsing {
 public:
  // All outlive it. `plan.work_directory` exists and holds nothing of an earlier run.
  Rehearsing(const RehearsalPlan& plan, std::vector<RehearsedJob> jobs, const RehearsalObserver& observer);

  // Runs until the rehearsal is over, or the observer wants its end; no process is left then. The result has no
  // verdicts. Invalid: a job that the operator would not even begin.
  [[nodiscard]] runtime::Result<ReportedRun> run(const simulator::Value& pool);
  // The observer wanted the end.
  [[nodiscard]] bool cancelled() const { return cancelled_; }

 private:
  JobState state(const RehearsedJob& job);
  bool over();
  bool settled();
  void interrupt();
  runtime::Duration pace_of(const RehearsedJob& job) const;
  bool show();
  std::optional<runtime::Error> rejection();
  std::vector<RentedNode> rented_nodes() const;
  JobFacts facts_of(const RehearsedJob& job);
  ReportedRun finish();

  const RehearsalPlan& plan_;
  const RehearsalObserver& observer_;
  std::filesystem::file_time_type begun_;
  std::unique_ptr<Stage> stage_;
  Interrupter interrupter_;
  std::map<std::string, runtime::Duration> stalled_since_;
  runtime::Instant shown_{};
  std::size_t shown_lines_ = 0, judged_ = 0;
  bool settled_ = false, cancelled_ = false;
};

}  // namespace reprise::rehearsal
