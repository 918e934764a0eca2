#include "runtime/metrics/process_metrics.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/base/files/file_text.h"

namespace reprise::runtime {
namespace {

std::string read_file(const char* path) {
  return file_text(path).value_or("");
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \n");
    if (begin == std::string_view::npos) return found;
    text.remove_prefix(begin);
    found.push_back(text.substr(0, text.find_first_of(" \n")));
    text.remove_prefix(found.back().size());
  }
}

std::optional<double> number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

ProcessUsage usage() {
  const std::string text = read_file("/proc/self/stat");
  return parse_proc_stat(text, static_cast<double>(sysconf(_SC_CLK_TCK)), static_cast<double>(sysconf(_SC_PAGESIZE)))
      .value_or(ProcessUsage{});
}

double open_descriptors() {
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) return 0;
  double count = -3;  // ".", ".." and the one that reads
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

double most_descriptors() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<double>(limit.rlim_cur) : 0;
}

}  // namespace

// Fields of proc(5), counted behind the program's name, which may hold blanks and brackets itself.
std::optional<ProcessUsage> parse_proc_stat(std::string_view text, double ticks_per_second, double page_bytes) {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  const auto fields = words(text.substr(name_end + 1));
  constexpr std::size_t utime = 11, stime = 12, num_threads = 17, starttime = 19, vsize = 20, rss = 21;
  if (fields.size() <= rss) return std::nullopt;
  const auto user = number(fields[utime]), system = number(fields[stime]), threads = number(fields[num_threads]);
  const auto start = number(fields[starttime]), size = number(fields[vsize]), pages = number(fields[rss]);
  if (!user || !system || !threads || !start || !size || !pages) return std::nullopt;
  return ProcessUsage{.cpu_seconds = (*user + *system) / ticks_per_second,
                      .resident_bytes = *pages * page_bytes,
                      .virtual_bytes = *size,
                      .threads = *threads,
                      .started_after_boot_seconds = *start / ticks_per_second};
}

std::optional<double> parse_boot_time(std::string_view text) {
  constexpr std::string_view mark = "btime ";
  const std::size_t at = text.starts_with(mark) ? 0 : text.find("\nbtime ");
  if (at == std::string_view::npos) return std::nullopt;
  const auto fields = words(text.substr(at));
  return fields.size() < 2 ? std::nullopt : number(fields[1]);
}

void add_process_metrics(MetricsRegistry& metrics) {
  const double started = parse_boot_time(read_file("/proc/stat")).value_or(0) + usage().started_after_boot_seconds;
  metrics.counter_of("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", {},
                     [] { return usage().cpu_seconds; });
  metrics.gauge_of("process_resident_memory_bytes", "Resident memory size in bytes.", {},
                   [] { return usage().resident_bytes; });
  metrics.gauge_of("process_virtual_memory_bytes", "Virtual memory size in bytes.", {},
                   [] { return usage().virtual_bytes; });
  metrics.gauge_of("process_open_fds", "Number of open file descriptors.", {}, open_descriptors);
  metrics.gauge_of("process_max_fds", "Maximum number of open file descriptors.", {}, most_descriptors);
  metrics.gauge_of("process_threads", "Number of threads.", {}, [] { return usage().threads; });
  metrics.gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.").set(started);
}

}  // namespace reprise::runtime
