#include "simulator/cluster/event_log.h"

#include <utility>

#include <fmt/format.h>

namespace reprise::simulator {

EventLog::EventLog(const runtime::Clock& clock) : clock_(clock), start_(clock.steady()) {}

void EventLog::add(std::string_view who, std::string what) {
  const auto time = std::chrono::duration_cast<runtime::Duration>(clock_.steady() - start_);
  entries_.push_back({time, std::string(who), std::move(what)});
  digest_.add(to_line(entries_.back()));
}

std::string to_line(const LogEntry& entry) {
  const auto ms = entry.time.count();
  return fmt::format("{:>9}.{:03} s  {:<20} {}", ms / 1000, ms % 1000, entry.who, entry.what);
}

}  // namespace reprise::simulator
