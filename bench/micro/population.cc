// The figure of the design: 10,000 ResumableJobs with 30,000 pods on 1,000 nodes, as encoded bytes through the
// informers that the operator has, into one process. Prints the bytes and CPU time of each kind and the memory of
// the process.
#include <fmt/core.h>
#include <malloc.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/gpu_pool.h"
#include "api/karpenter.h"
#include "api/resumable_job.h"
#include "bench/micro/wire_samples.h"
#include "runtime/base/random.h"
#include "runtime/cache/informer.h"
#include "runtime/kube/core.h"
#include "runtime/kube/internal/wire_for_tests.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"

namespace bench {
namespace {

namespace api = reprise::api;
namespace json = boost::json;
namespace kube = reprise::kube;
namespace runtime = reprise::runtime;
using kube::internal::WireWriter;
using Keys = std::vector<std::string>;

constexpr int kJobs = 10'000;
constexpr int kPods = kJobs * kPodsPerJob;
constexpr int kNodes = kJobs / kJobsPerNode;
constexpr int kEvents = 1000;
constexpr int kNamespaces = 100;
constexpr int kPools = 10;

double cpu_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// "VmRSS", "VmHWM": in MiB.
double process_mebibytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::strtod(line.c_str() + field.size() + 1, nullptr) / 1024;
  }
  return 0;
}

// Large blocks, as of tables, are mapped and not counted among the others.
std::size_t allocated() {
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

std::string framed(const std::string& event) {
  std::string out;
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(event.size() >> shift & 0xFFU);
  return out + event;
}

// The informers of the operator, with the indexes that its controllers declare, and the API server's side of them.
class Population {
 public:
  void fill() {
    fmt::print("{:<24} {:>8} {:>12} {:>10} {:>14} {:>14}\n", "kind", "objects", "bytes sent", "CPU us", "bytes cached",
               "by the metric");
    follow<kube::Pod>(kPods, pod_wire, [](auto& store) {
      store.add_index("job-uid",
                      [](const kube::Pod& pod) { return Keys{std::string(pod.meta.label("reprise.dev/job-uid"))}; });
      store.add_index("node", [](const kube::Pod& pod) { return Keys{pod.node_name}; });
      store.add_index("claim", [](const kube::Pod& pod) {
        Keys keys;
        for (const auto& claim : pod.claim_names) keys.push_back(pod.meta.namespace_ + "/" + claim);
        return keys;
      });
    });
    follow<api::ResumableJob>(
        kJobs, [](int i) { return running_job_json(i, true); },
        [](auto& store) {
          store.add_index("pool", [](const api::ResumableJob& job) { return Keys{job.spec.pool_name}; });
          store.add_index("claim", [](const api::ResumableJob& job) {
            return Keys{job.meta.namespace_ + "/" + job.meta.name + "-checkpoints"};
          });
          store.add_index("node", [](const api::ResumableJob& job) {
            Keys keys;
            for (const auto& rank : job.status.members) keys.push_back(rank.node_name);
            return keys;
          });
          store.add_index("nodeclaim", [](const api::ResumableJob& job) {
            Keys keys;
            for (const auto& rank : job.status.members) keys.push_back(rank.node_claim_name);
            return keys;
          });
        });
    follow<kube::Node>(kNodes, node_wire, by_pool<kube::Node>);
    follow<api::NodeClaim>(kNodes, node_claim_json, by_pool<api::NodeClaim>);
    follow<kube::PersistentVolumeClaim>(kJobs, claim_wire, [](auto&) {});
    follow<kube::Service>(kJobs, service_wire, [](auto&) {});
    follow<kube::Event>(kEvents, event_wire, [](auto& store) {
      store.add_index("involved", [](const kube::Event& event) { return Keys{event.involved_name}; });
    });
    follow<kube::Namespace>(kNamespaces, namespace_wire, [](auto&) {});
    follow<api::GpuPool>(kPools, gpu_pool_json, [](auto&) {});
    fmt::print("{:<24} {:>8} {:>12} {:>10} {:>14} {:>14}\n", "shared by all", "", "", "", "", pool_.bytes());
  }

  [[nodiscard]] double cpu() const { return cpu_; }

 private:
  template <class T>
  static void by_pool(runtime::Store<T>& store) {
    store.add_index("pool", [](const T& object) { return Keys{std::string(object.meta.label("reprise.dev/pool"))}; });
  }

  template <class T>
  static std::string event(const std::string& type, const std::string& object) {
    if constexpr (!runtime::ReadsProtobuf<T>) {
      return json::serialize(json::object{{"type", type}, {"object", json::parse(object)}}) + "\n";
    } else {
      constexpr kube::KindInfo kind = kube::KindOf<T>::info();
      const std::string envelope = kube::internal::wire_envelope(kind.api_version(), kind.kind, object);
      return framed(WireWriter().bytes(1, type).message(2, WireWriter().bytes(1, envelope)).str());
    }
  }
  template <class T>
  static std::string end_of_list() {
    if constexpr (!runtime::ReadsProtobuf<T>) {
      const json::object end{{"k8s.io/initial-events-end", "true"}};
      const json::object metadata{{"resourceVersion", "49000000"}, {"annotations", end}};
      return event<T>("BOOKMARK", json::serialize(json::object{{"metadata", metadata}}));
    } else {
      return event<T>("BOOKMARK",
                      WireWriter()
                          .message(1, WireWriter().bytes(6, "49000000").entry(12, "k8s.io/initial-events-end", "true"))
                          .str());
    }
  }

  template <class T>
  void follow(int count, std::string (*object)(int), void (*index)(runtime::Store<T>&)) {
    const std::size_t before = allocated();
    auto informer = std::make_unique<runtime::Informer<T>>(
        runtime::WatchEnvironment{transport_, executor_, clock_, random_, *logger_, metrics_, {}, &pool_},
        runtime::InformerScope{});
    runtime::Store<T>& store = informer->store();
    index(store);
    informer->start();
    executor_.settle();
    auto& stream = transport_.last_stream();
    stream.status(200);
    double spent = 0;
    std::size_t sent = 0;
    const auto send = [&](const std::string& bytes) {
      const double begin = cpu_milliseconds();
      stream.bytes(bytes);
      spent += cpu_milliseconds() - begin;
      sent += bytes.size();
    };
    for (int i = 0; i < count; ++i) send(event<T>("ADDED", object(i)));
    send(end_of_list<T>());
    if (store.size() != static_cast<std::size_t>(count) || !informer->synced()) {
      fmt::print(stderr, "{}: {} of {} objects arrived\n", kube::KindOf<T>::info().kind, store.size(), count);
      std::exit(EXIT_FAILURE);
    }
    fmt::print("{:<24} {:>8} {:>12} {:>10.1f} {:>14} {:>14}\n", kube::KindOf<T>::info().kind, count,
               sent / static_cast<std::size_t>(count), spent * 1000 / count,
               (allocated() - before) / static_cast<std::size_t>(count),
               store.bytes() / static_cast<std::size_t>(count));
    cpu_ += spent;
    informers_.push_back(std::move(informer));
  }

  kube::InterningPool pool_;
  runtime::testing::VirtualClock clock_;
  runtime::testing::ManualExecutor executor_{clock_};
  runtime::testing::ScriptedTransport transport_{executor_};
  runtime::SeededRandom random_{1};
  std::unique_ptr<runtime::Logger> logger_ = runtime::make_null_logger();
  runtime::MetricsRegistry metrics_;
  std::vector<std::unique_ptr<runtime::InformerBase>> informers_;
  double cpu_ = 0;
};

void measure() {
  const double before = process_mebibytes("VmRSS");
  Population population;
  population.fill();
  fmt::print(
      "\nresident: {:.1f} MiB before, {:.1f} MiB now, {:.1f} MiB at most; CPU of decoding and storing: {:.0f} ms\n",
      before, process_mebibytes("VmRSS"), process_mebibytes("VmHWM"), population.cpu());
}

}  // namespace
}  // namespace bench

int main() {
  bench::measure();
}
