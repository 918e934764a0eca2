// The operator that the faults are played on.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "apps/common/flags.h"
#include "runtime/manager/manager.h"
#include "runtime/manager/watches.h"
#include "tests/faults/operator/mirror.h"

namespace {

namespace kube = reprise::kube;
namespace faults = reprise::faults;
namespace flags = reprise::apps::flags;
namespace runtime = reprise::runtime;

flags::po::options_description known_flags() {
  const auto text = [](const char* otherwise) { return flags::one()->default_value(otherwise); };
  flags::po::options_description known("Flags of faults_operator; times in milliseconds");
  known.add_options()("kubeconfig", flags::one(), "how to reach the cluster")("name", text("faults"), "user agent")(
      "namespace", flags::one(), "all unless given")("metrics", text("0"), "address")("health", text("0"), "address")(
      "leader-elect", text("false"), "true or false")("lease-name", text("faults"))(
      "copy-names", text("fixed"), "fixed or fresh")("idle-timeout", text("3000"))("open-timeout", text("3000"))(
      "initial-events-timeout", text("3000"))("backoff-first", text("200"))("backoff-cap", text("2000"))(
      "healthy-after", text("120000"))("server-timeout", text("200000"))("retry-cap", text("2000"), "of reconciles");
  return known;
}

using Given = flags::po::variables_map;

runtime::Duration milliseconds(const Given& given, const char* flag) {
  const auto count = flags::whole_number(given, flag, 0, 1e9, "a whole number of milliseconds");
  return runtime::Duration{static_cast<std::int64_t>(count.value_or(0))};
}

runtime::WatchPolicy policy_of(const Given& given) {
  const auto of = [&](const char* flag) { return milliseconds(given, flag); };
  return {.backoff_first = of("backoff-first"),
          .backoff_cap = of("backoff-cap"),
          .healthy_after = of("healthy-after"),
          .initial_events_timeout = of("initial-events-timeout"),
          .idle_timeout = of("idle-timeout"),
          .open_timeout = of("open-timeout"),
          .server_timeout_min = of("server-timeout"),
          .server_timeout_max = of("server-timeout")};
}

int run(const Given& given) {
  const auto of = [&](const char* flag) { return flags::text(given, flag).value_or(""); };
  const auto leader_elect = flags::one_of<bool>(given, "leader-elect", {{"true", true}, {"false", false}});
  using faults::CopyNames;
  const auto names =
      flags::one_of<CopyNames>(given, "copy-names", {{"fixed", CopyNames::Fixed}, {"fresh", CopyNames::Fresh}});
  const auto logger = runtime::make_stderr_logger(runtime::LogLevel::Debug, runtime::LogFormat::Text);
  runtime::ManagerOptions options{.name = of("name"), .version = "0", .kubeconfig = of("kubeconfig")};
  if (!of("namespace").empty()) options.namespaces = {of("namespace")};
  options.leader_elect = *leader_elect;
  options.lease_name = of("lease-name");
  options.lease_namespace = of("namespace");
  options.metrics_address = of("metrics");
  options.health_address = of("health");
  options.watch_policy = policy_of(given);
  auto manager = runtime::Manager::connect(options, *logger);
  if (!manager) {
    logger->error("Could not connect", {{"error", manager.error().message}});
    return EXIT_FAILURE;
  }
  auto& sources = (*manager)->add_informer<kube::ConfigMap>({.label_selector = std::string(faults::source_selector)});
  auto& copies = (*manager)->add_informer<kube::Service>({.label_selector = std::string(faults::copy_selector)});
  copies.store().add_index(std::string(faults::copies_of),
                           [](const kube::Service& copy) { return std::vector{to_string(faults::source_of(copy))}; });
  auto& mirror =
      (*manager)->add_controller("mirror",
                                 std::make_unique<faults::Mirror>(sources.store(), copies.store(), *names,
                                                                  (*manager)->random(), (*manager)->metrics()),
                                 {.backoff = {.cap = milliseconds(given, "retry-cap")}});
  runtime::watch_primary(mirror, sources, runtime::any_change<kube::ConfigMap>());
  runtime::watch_mapped<kube::Service>(mirror, copies,
                                       [](const kube::Service& copy) { return std::vector{faults::source_of(copy)}; });
  return (*manager)->run();
}

}  // namespace

int main(int argc, char** argv) {
  runtime::Manager::block_signals();
  const auto known = known_flags();
  try {
    return run(flags::parse(known, {argv + 1, argv + argc}));
  } catch (const flags::Wrong& wrong) {
    std::cerr << "faults_operator: " << wrong.text << '\n' << known;
    return EXIT_FAILURE;
  }
}
