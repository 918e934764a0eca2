// The sample operator of bench/README.md on Reprise's runtime.
#include <boost/program_options.hpp>
#include <cstdlib>
#include <iostream>

#include "bench/sample/progress.h"
#include "bench/sample/reconciler.h"
#include "runtime/manager/manager.h"

namespace bench {
namespace {

namespace options = boost::program_options;

int run(const std::string& kubeconfig) {
  const auto logger = runtime::make_stderr_logger(runtime::LogLevel::Error, runtime::LogFormat::Text);
  auto connected = runtime::Manager::connect({.name = "bench-operator",
                                              .kubeconfig = kubeconfig,
                                              .leader_elect = false,
                                              .metrics_address = "0",
                                              .health_address = "0"},
                                             *logger);
  if (!connected) {
    logger->error("Could not connect", {{"error", connected.error().message}});
    return EXIT_FAILURE;
  }
  runtime::Manager& manager = **connected;
  auto& jobs = manager.add_informer<BenchJob>();
  auto& pods = manager.add_informer<Pod>();
  auto& nodes = manager.add_informer<Node>();
  auto& children = manager.add_informer<Job>();
  pods.store().add_index("job", [](const Pod& pod) {
    return std::vector{runtime::to_string({pod.meta.namespace_, pod.job})};
  });
  pods.store().add_index("node", [](const Pod& pod) { return std::vector{pod.node_name}; });

  Progress progress;
  manager.on_synced([&] { progress.synced(jobs.store()); });
  auto& controller = manager.add_controller(
      "benchjob",
      std::make_unique<BenchReconciler>(Caches{jobs.store(), pods.store(), nodes.store(), children.store()},
                                        [&](const runtime::ObjectKey& key) { progress.reconciled(key); }),
      {.max_concurrent = 8});
  jobs.on_any([&](const BenchJob& job) { controller.enqueue(runtime::key_of(job)); });
  pods.on_any([&](const Pod& pod) { controller.enqueue({pod.meta.namespace_, pod.job}); });
  nodes.on_any([&](const Node& node) {
    for (const auto& pod : pods.store().by_index("node", node.meta.name)) {
      controller.enqueue({pod->meta.namespace_, pod->job});
    }
  });
  children.on_any([&](const Job& job) { controller.enqueue({job.meta.namespace_, job.owner}); });
  return manager.run();
}

int parse_and_run(int argc, char** argv) {
  std::string kubeconfig;
  options::options_description known("bench_sample");
  known.add_options()("kubeconfig", options::value(&kubeconfig)->required(), "how to reach the cluster");
  known.add_options()("variant", options::value<std::string>(), "ignored: there is one form");
  try {
    options::variables_map given;
    options::store(options::parse_command_line(argc, argv, known), given);
    options::notify(given);
  } catch (const options::error& error) {
    std::cerr << error.what() << '\n' << known;
    return EXIT_FAILURE;
  }
  return run(kubeconfig);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  reprise::runtime::Manager::block_signals();
  return bench::parse_and_run(argc, argv);
}
