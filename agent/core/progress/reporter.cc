#include "agent/core/progress/reporter.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "agent/core/progress/live_state.h"

namespace reprise::agent {

std::chrono::milliseconds ReportSchedule::shortest() const {
  return std::min(period_, std::chrono::milliseconds(1'000));
}

bool ReportSchedule::due(const LiveReport& report, runtime::Instant now) {
  Made made{.activity = report.activity, .checkpoint = {}, .at = now};
  if (report.checkpoint) made.checkpoint = report.checkpoint->checkpoint;
  if (last_) {
    const bool news = last_->activity != made.activity || last_->checkpoint != made.checkpoint;
    if (now - last_->at < (news ? shortest() : period_)) return false;
  }
  last_ = std::move(made);
  return true;
}

std::unique_ptr<Worker> start_reporter(Session& session) {
  const bool makes_reports = session.env.makes_reports();
  if (!makes_reports && !session.env.watches_for_hangs()) return nullptr;
  session.live = std::make_shared<LiveState>(session.self, session.clock.steady());
  ReportSchedule schedule(session.env.report_period);
  const auto often = schedule.shortest();
  const auto tick = [host = &session.host, clock = &session.clock, live = session.live, volume = session.volume,
                     schedule, makes_reports]() mutable {
    const auto problem = live->take_file(host->read_progress_file(), clock->steady());
    if (!problem.empty()) host->say(problem);
    if (!makes_reports) return;
    auto report = live->at(clock->steady());
    report.volume = volume->findings->get();
    if (schedule.due(report, clock->steady())) host->send_report(encode_live_report(report));
  };
  try {
    return session.host.threads().repeat(often, tick);
  } catch (const std::system_error&) {
    return nullptr;  // the container may have no more threads: training needs none of this
  }
}

}  // namespace reprise::agent
