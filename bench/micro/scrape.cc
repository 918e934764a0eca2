// Measures the cost of a scrape of /metrics for an operator with many jobs: "bench_scrape". CPU time on this machine:
// compare runs, not machines.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/micro/wire_samples.h"
#include "controllers/metrics/job_changes.h"
#include "controllers/metrics/job_state.h"
#include "controllers/metrics/recorder.h"
#include "controllers/metrics/state.h"

namespace bench {
namespace {

namespace api = reprise::api;
namespace kube = reprise::kube;
namespace metrics = reprise::controllers::metrics;
namespace runtime = reprise::runtime;
using Jobs = std::vector<std::shared_ptr<const api::ResumableJob>>;
using Pools = std::vector<std::shared_ptr<const api::GpuPool>>;

constexpr int kPools = 20;
constexpr int kScrapes = 50;
constexpr kube::Time kNow{std::chrono::seconds(1'795'251'600)};

template <class T>
T decoded(const std::string& json) {
  auto object = kube::KindOf<T>::decode(json);
  if (object) return *std::move(object);
  fmt::print(stderr, "{}: {}: {}\n", kube::KindOf<T>::info().kind, object.error().path, object.error().message);
  std::exit(EXIT_FAILURE);
}

// Spreads the jobs over their states: 80 of a hundred run, and each of the others does something else.
void become(api::ResumableJob& job, int number) {
  static constexpr std::array<std::string_view, 6> reasons{"SpotInterrupted", "NodeClaimDeleted", "NodeLost",
                                                           "PodDeleted",      "Disrupted",        "NodeShutdown"};
  const auto say = [&](std::string_view type, kube::ConditionStatus is, std::string_view reason) {
    auto& all = job.status.conditions;
    std::erase_if(all, [&](const kube::Condition& each) { return each.type == type; });
    all.push_back({.type = type, .status = is, .last_transition_time = kNow, .reason = reason, .message = {}});
  };
  const int kind = number / kPools % 100;
  say("Complete", kube::ConditionStatus::False, "NotFinished");
  say("PodsReady", kube::ConditionStatus::True, number % 3 == 0 ? "Recovered" : "Started");
  if (kind < 80) return;
  say("PodsReady", kube::ConditionStatus::False, kind % 2 == 0 ? "WaitForRecovery" : "WriterNotFenced");
  say("Interrupted", kube::ConditionStatus::True, reasons[static_cast<std::size_t>(kind) % reasons.size()]);
  job.status.last_interruption = api::LastInterruption{.time = kNow - std::chrono::seconds(number % 600)};
}

Jobs make_jobs(int count) {
  Jobs jobs;
  for (int i = 0; i < count; ++i) {
    auto job = std::make_shared<api::ResumableJob>(decoded<api::ResumableJob>(running_job_json(i, true)));
    job->spec.pool_name = fmt::format("t4-{}", i % kPools);
    become(*job, i);
    job->meta.creation_timestamp = kNow - std::chrono::seconds(i * 7919 % 86'400);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

double cpu_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

std::ptrdiff_t series_of(const std::string& text) {
  std::ptrdiff_t comments = text.starts_with('#') ? 1 : 0;
  for (std::size_t at = text.find("\n#"); at != std::string::npos; at = text.find("\n#", at + 1)) ++comments;
  return std::ranges::count(text, '\n') - comments;
}

Jobs as_a_store_gives(const Jobs& jobs) {
  return jobs;
}

// `shown`: as --job-metrics-limit.
void measure(const Jobs& jobs, const Pools& pools, std::size_t shown) {
  runtime::MetricsRegistry registry;
  metrics::Recorder recorder(registry);
  metrics::add_gauges(registry, [&] {
    const Jobs held = as_a_store_gives(jobs);
    auto found = metrics::readings(held, pools, kNow, [](const auto&) { return true; });
    std::ranges::move(metrics::job_readings(held, kNow, shown), std::back_inserter(found));
    return found;
  });
  for (const auto& pool : pools) {
    recorder.know_pool(pool->meta.name);
    recorder.record(metrics::zeros_of_pool(pool->meta.name));  // everything has happened once
  }
  const std::string text = registry.expose();
  const double begin = cpu_milliseconds();
  for (int i = 0; i < kScrapes; ++i) (void)registry.expose();
  const double each = (cpu_milliseconds() - begin) / kScrapes;
  fmt::print("{:>8} {:>8} {:>6} {:>8} {:>8.0f} {:>12.2f}\n", jobs.size(), shown, pools.size(), series_of(text),
             static_cast<double>(text.size()) / 1024, each);
}

void measure_all() {
  Pools pools;
  for (int i = 0; i < kPools; ++i)
    pools.push_back(std::make_shared<const api::GpuPool>(decoded<api::GpuPool>(gpu_pool_json(i))));
  fmt::print("{:>8} {:>8} {:>6} {:>8} {:>8} {:>12}\n", "jobs", "by job", "pools", "series", "KiB", "CPU ms");
  for (const int count : {0, 1'000, 10'000}) {
    const Jobs jobs = make_jobs(count);
    for (const std::size_t shown : {0UZ, 500UZ, 1'000UZ}) measure(jobs, pools, shown);
  }
}

}  // namespace
}  // namespace bench

int main() {
  bench::measure_all();
  return 0;
}
