// Metrics of the process under the names of Prometheus' own clients: process_cpu_seconds_total,
// process_resident_memory_bytes, process_virtual_memory_bytes, process_open_fds, process_max_fds, process_threads,
// process_start_time_seconds. Read from /proc when metrics are read.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/metrics/metrics.h"

namespace reprise::runtime {

struct ProcessUsage {
  double cpu_seconds = 0, resident_bytes = 0, virtual_bytes = 0, threads = 0;
  double started_after_boot_seconds = 0;
};

// /proc/<pid>/stat; nothing when it is not that.
[[nodiscard]] std::optional<ProcessUsage> parse_proc_stat(std::string_view text, double ticks_per_second,
                                                          double page_bytes);
// The line "btime" of /proc/stat: when the machine booted, in seconds since 1970.
[[nodiscard]] std::optional<double> parse_boot_time(std::string_view text);

void add_process_metrics(MetricsRegistry& metrics);

}  // namespace reprise::runtime
