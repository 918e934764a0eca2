// Small measurements of single parts; prints tables. Times are CPU time on this machine: compare runs, not machines.
#include <fmt/core.h>
#include <malloc.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "api/resumable_job.h"
#include "bench/micro/samples.h"
#include "bench/sample/types.h"
#include "runtime/cache/store.h"
#include "runtime/cache/watch/watch_event.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"
#include "runtime/queue/work_queue.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/virtual_clock.h"

namespace bench {

namespace api = reprise::api;
namespace {

namespace runtime = reprise::runtime;

constexpr int objects = 10'000;

double cpu_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// CPU time of this thread, so that other load on the machine counts less.
double nanoseconds_each(int times, const auto& work) {
  const double begin = cpu_nanoseconds();
  for (int i = 0; i < times; ++i) work(i);
  return (cpu_nanoseconds() - begin) / times;
}

template <class T>
T decoded(const std::string& json) {
  auto object = kube::KindOf<T>::decode(json);
  if (object) return *std::move(object);
  fmt::print(stderr, "{} does not decode: {}: {}\n", kube::KindOf<T>::info().kind, object.error().path,
             object.error().message);
  std::exit(EXIT_FAILURE);
}

std::size_t allocated() {
  return mallinfo2().uordblks;
}

template <class T>
void measure_kind(const char* name, std::string (*json)(int)) {
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) texts.push_back(json(i));
  const double decode =
      nanoseconds_each(3000, [&](int i) { (void)decoded<T>(texts[static_cast<std::size_t>(i) % 100]); });
  const std::size_t before = allocated();
  runtime::Store<T> store;
  store.begin_list("");
  typename runtime::Store<T>::Objects list;
  for (int i = 0; i < objects; ++i) list.put(std::make_shared<const T>(decoded<T>(json(i))));
  (void)store.replace("", std::move(list), "1");
  const double each = static_cast<double>(allocated() - before) / objects;
  fmt::print("{:<28} {:>10} {:>12.1f} {:>14.0f}\n", name, texts[0].size(), decode / 1000, each);
}

// One event of a watch in JSON, to its decoded object.
template <class T>
void measure_event(const char* name, std::string (*json)(int)) {
  std::vector<std::string> lines;
  for (int i = 0; i < 100; ++i) {
    const boost::json::object event{{"type", "MODIFIED"}, {"object", boost::json::parse(json(i))}};
    lines.push_back(boost::json::serialize(event));
  }
  const auto each = [&](auto read) {
    return nanoseconds_each(20'000, [&](int i) {
      const auto event = read(std::string_view(lines[static_cast<std::size_t>(i) % 100]));
      if (!event || !kube::KindOf<T>::decode(event->object.bytes)) std::exit(EXIT_FAILURE);
    });
  };
  const double parsed = each([](std::string_view line) { return runtime::parse_watch_event(line); });
  const double split = each([](std::string_view line) { return runtime::split_watch_event(line); });
  fmt::print("{:<28} {:>10} {:>12.1f} {:>12.1f} {:>8.2f}\n", name, lines[0].size(), parsed / 1000, split / 1000,
             split / parsed);
}

void measure_events() {
  fmt::print("\n{:<28} {:>10} {:>12} {:>12} {:>8}\n", "event in JSON", "bytes", "parsed us", "split us", "ratio");
  measure_event<BenchJob>("sample BenchJob", bench_job_json);
  measure_event<api::ResumableJob>("reprise ResumableJob", resumable_job_json);
}

void measure_kinds() {
  fmt::print("{:<28} {:>10} {:>12} {:>14}\n", "kind", "JSON bytes", "decode us", "bytes cached");
  measure_kind<Pod>("sample Pod", pod_json);
  measure_kind<Node>("sample Node", node_json);
  measure_kind<Job>("sample Job", job_json);
  measure_kind<BenchJob>("sample BenchJob", bench_job_json);
  measure_kind<kube::Pod>("reprise Pod", pod_json);
  measure_kind<kube::Node>("reprise Node", node_json);
  measure_kind<api::ResumableJob>("reprise ResumableJob", resumable_job_json);
}

void measure_store() {
  runtime::Store<Pod> store;
  store.add_index("job", [](const Pod& pod) { return std::vector{pod.meta.namespace_ + "/" + pod.job}; });
  store.add_index("node", [](const Pod& pod) { return std::vector{pod.node_name}; });
  std::vector<std::shared_ptr<const Pod>> pods;
  for (int i = 0; i < 3 * objects; ++i) pods.push_back(std::make_shared<const Pod>(decoded<Pod>(pod_json(i))));
  const auto at = [&](int i) -> const auto& {
    return pods[static_cast<std::size_t>(i) * 7919 % pods.size()];
  };
  const auto count = static_cast<int>(pods.size());
  fmt::print("\n{:<28} {:>10}\n", "store of 30,000 pods", "ns");
  fmt::print("{:<28} {:>10.0f}\n", "insert", nanoseconds_each(count, [&](int i) { (void)store.upsert("", at(i)); }));
  fmt::print("{:<28} {:>10.0f}\n", "update", nanoseconds_each(count, [&](int i) { (void)store.upsert("", at(i)); }));
  fmt::print("{:<28} {:>10.0f}\n", "get",
             nanoseconds_each(count, [&](int i) { (void)store.get(at(i)->meta.namespace_, at(i)->meta.name); }));
  fmt::print("{:<28} {:>10.0f}\n", "by_uid",
             nanoseconds_each(count, [&](int i) { (void)store.by_uid(at(i)->meta.uid); }));
  fmt::print("{:<28} {:>10.0f}\n", "by_index, 3 found",
             nanoseconds_each(count, [&](int i) { (void)store.by_index("job", "vision/" + at(i)->job); }));
  fmt::print("{:<28} {:>10.0f}\n", "by_index, 30 found",
             nanoseconds_each(count, [&](int i) { (void)store.by_index("node", at(i)->node_name); }));
  fmt::print("{:<28} {:>10.0f}\n", "all, 30,000 found", nanoseconds_each(10, [&](int) { (void)store.all(); }));
  fmt::print("{:<28} {:>10.0f}\n", "erase",
             nanoseconds_each(count, [&](int i) { (void)store.erase("", runtime::key_of(*at(i)), "2"); }));
}

void measure_queue() {
  runtime::testing::VirtualClock clock;
  runtime::testing::ManualExecutor executor(clock);
  runtime::MetricsRegistry metrics;
  runtime::WorkQueue queue("bench", executor, clock, metrics);
  std::vector<runtime::ObjectKey> keys;
  for (int i = 0; i < objects; ++i) keys.push_back({"vision", fmt::format("job-{:05d}", i)});
  const auto key = [&](int i) -> const auto& {
    return keys[static_cast<std::size_t>(i)];
  };
  fmt::print("\n{:<28} {:>10}\n", "queue of 10,000 keys", "ns");
  fmt::print("{:<28} {:>10.0f}\n", "add", nanoseconds_each(objects, [&](int i) { queue.add(key(i)); }));
  fmt::print("{:<28} {:>10.0f}\n", "add again", nanoseconds_each(objects, [&](int i) { queue.add(key(i)); }));
  fmt::print("{:<28} {:>10.0f}\n", "take and be done", nanoseconds_each(objects, [&](int) {
               if (const auto taken = queue.try_get()) queue.done(*taken);
             }));
}

}  // namespace
}  // namespace bench

int main() {
  bench::measure_kinds();
  bench::measure_events();
  bench::measure_store();
  bench::measure_queue();
}
