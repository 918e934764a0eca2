// The events of a scenario, in order: the record that two runs of one seed must share byte by byte, and the readable
// timeline.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/clock.h"
#include "simulator/base/digest.h"

namespace reprise::simulator {

struct LogEntry {
  runtime::Duration time{0};  // since the start of the scenario
  std::string who;            // "scheduler", "karpenter", "kubelet node-3", "operator", "fault", "trainer a-1-0"
  std::string what;           // one plain sentence without the time
};

class EventLog {
 public:
  explicit EventLog(const runtime::Clock& clock);
  void add(std::string_view who, std::string what);
  [[nodiscard]] const std::vector<LogEntry>& entries() const { return entries_; }
  // Covers all entries, time included.
  [[nodiscard]] std::uint64_t digest() const { return digest_.value(); }

 private:
  const runtime::Clock& clock_;
  runtime::Instant start_;
  std::vector<LogEntry> entries_;
  Digest digest_;
};

// "  12.345 s  karpenter         launched kwok-a for pool t4-spot"
[[nodiscard]] std::string to_line(const LogEntry& entry);

}  // namespace reprise::simulator
