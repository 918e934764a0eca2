// Follows every built-in kind twice on a real API server, in protobuf and in JSON, and compares what was decoded.
// usage: encodings_agree stream|pages     KUBECONFIG from the environment
// Prints "KIND COUNT" for each kind that is the same in both; exit code 1 and the difference when one is not, or when
// protobuf was not what came.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/gpu_pool.h"
#include "apps/common/flags.h"
#include "runtime/kube/internal/dump_for_tests.h"
#include "runtime/kube/metadata.h"
#include "runtime/manager/manager.h"

namespace {

namespace api = reprise::api;
namespace flags = reprise::apps::flags;
namespace kube = reprise::kube;
namespace runtime = reprise::runtime;
using runtime::Encoding;

constexpr std::chrono::seconds limit{90};
constexpr std::chrono::milliseconds pause{20};

// Remembers log lines that must not appear.
class Listening final : public runtime::Logger {
 public:
  void log(runtime::LogLevel level, std::string_view message,
           std::initializer_list<runtime::LogField> fields) override {
    if (level < runtime::LogLevel::Warning && message != "Watch was interrupted") return;
    const std::lock_guard lock(mutex_);
    complaints_ += message;
    for (const auto& field : fields) complaints_.append(" ").append(field.key).append("=").append(field.value);
    complaints_ += "\n";
  }
  [[nodiscard]] bool enabled(runtime::LogLevel level) const override { return level >= runtime::LogLevel::Info; }
  [[nodiscard]] std::string complaints() const {
    const std::lock_guard lock(mutex_);
    return complaints_;
  }

 private:
  mutable std::mutex mutex_;
  std::string complaints_;
};

template <class T>
std::string text_of(const T& object) {
  return kube::internal::dump(object);
}
template <class T>
std::string text_of(const kube::Metadata<T>& object) {
  return kube::internal::dump(object.meta);
}

template <class T>
class Pair {
 public:
  Pair(runtime::Manager& manager, std::string name)
      : name_(std::move(name)),
        wire_(manager.add_informer<T>({.encoding = Encoding::Protobuf})),
        json_(manager.add_informer<T>({.encoding = Encoding::Json})) {}

  // Objects change meanwhile: each is compared at a moment when both caches show the same version of it.
  [[nodiscard]] bool agrees() const {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::set<std::string> compared;
    for (;; std::this_thread::sleep_for(pause)) {
      bool all = json_.store().size() > 0;
      for (const auto& one : json_.store().all()) {
        const auto other = wire_.store().get(one->meta.namespace_, one->meta.name);
        if (compared.contains(one->meta.uid)) continue;
        if (!other || other->meta.resource_version != one->meta.resource_version) {
          all = false;
          continue;
        }
        if (text_of(*one) != text_of(*other)) {
          std::cerr << name_ << " differs:\nJSON     " << text_of(*one) << "\nprotobuf " << text_of(*other) << "\n";
          return false;
        }
        compared.insert(one->meta.uid);
      }
      if (all) {
        std::cout << name_ << " " << compared.size() << std::endl;
        return true;
      }
      if (std::chrono::steady_clock::now() > deadline) {
        std::cerr << name_ << ": " << compared.size() << " compared of " << json_.store().size() << " in JSON and "
                  << wire_.store().size() << " in protobuf\n";
        return false;
      }
    }
  }

 private:
  std::string name_;
  runtime::Informer<T>& wire_;
  runtime::Informer<T>& json_;
};

// Checks every pair, so that each difference is shown.
template <class... Pairs>
bool all_agree(const Pairs&... pairs) {
  bool same = true;
  (..., (same = pairs.agrees() && same));
  return same;
}

bool compare(runtime::Manager& manager) {
  const Pair<kube::Pod> pods(manager, "Pod");
  const Pair<kube::Node> nodes(manager, "Node");
  const Pair<kube::PersistentVolumeClaim> claims(manager, "PersistentVolumeClaim");
  const Pair<kube::Service> services(manager, "Service");
  const Pair<kube::ConfigMap> maps(manager, "ConfigMap");
  const Pair<kube::Namespace> namespaces(manager, "Namespace");
  const Pair<kube::Event> events(manager, "Event");
  const Pair<kube::Lease> leases(manager, "Lease");
  const Pair<kube::Metadata<kube::Pod>> pod_metadata(manager, "Pod-metadata");
  const Pair<kube::Metadata<api::GpuPool>> pool_metadata(manager, "GpuPool-metadata");
  if (const auto started = manager.start(); !started) {
    std::cerr << started.error().message << "\n";
    return false;
  }
  const bool same =
      all_agree(pods, nodes, claims, services, maps, namespaces, events, leases, pod_metadata, pool_metadata);
  manager.stop();
  return same;
}

bool asks_for_stream(const std::vector<std::string>& arguments) {
  flags::po::options_description known;
  known.add_options()("lists", flags::one());
  const auto given = flags::parse(known, arguments, {"lists"});
  const auto stream = flags::one_of<bool>(given, "lists", {{"stream", true}, {"pages", false}});
  if (!stream) throw flags::Wrong{"how to list is missing"};
  return *stream;
}

}  // namespace

int main(int argc, char** argv) {
  bool streaming_list = false;
  try {
    streaming_list = asks_for_stream({argv + 1, argv + argc});
  } catch (const flags::Wrong& wrong) {
    std::cerr << "encodings_agree: " << wrong.text << "\nusage: encodings_agree stream|pages\n";
    return 2;
  }
  runtime::Manager::block_signals();
  Listening logger;
  runtime::ManagerOptions options{.name = "encodings-agree"};
  options.leader_elect = false;
  options.metrics_address = options.health_address = "0";
  options.watch_policy.streaming_list = streaming_list;
  auto manager = runtime::Manager::connect(options, logger);
  if (!manager) {
    std::cerr << manager.error().message << "\n";
    return EXIT_FAILURE;
  }
  const bool same = compare(**manager);
  std::cerr << logger.complaints();
  return same && logger.complaints().empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}
