// The operator that the faults are played on. usage: faults_operator --kubeconfig=FILE [--FLAG=VALUE ...]; flags below.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/manager/manager.h"
#include "runtime/manager/watches.h"
#include "tests/faults/operator/mirror.h"

namespace {

using namespace std::string_literals;
namespace kube = reprise::kube;
namespace faults = reprise::faults;
namespace runtime = reprise::runtime;

using Flags = std::map<std::string, std::string, std::less<>>;

Flags defaults() {
  return {{"kubeconfig", ""},
          {"name", "faults"},  // user agent
          {"namespace", ""},   // empty: all
          {"metrics", "0"},
          {"health", "0"},
          {"leader-elect", "false"},
          {"lease-name", "faults"},
          {"copy-names", "fixed"},  // or fresh
          // Milliseconds.
          {"idle-timeout", "3000"},
          {"open-timeout", "3000"},
          {"initial-events-timeout", "3000"},
          {"backoff-first", "200"},
          {"backoff-cap", "2000"},
          {"healthy-after", "120000"},
          {"server-timeout", "200000"},
          {"retry-cap", "2000"}};  // of reconciles
}

std::optional<Flags> parse(int argc, char** argv) {
  Flags flags = defaults();
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::size_t equals = argument.find('=');
    if (!argument.starts_with("--") || equals == std::string_view::npos) return std::nullopt;
    const auto known = flags.find(argument.substr(2, equals - 2));
    if (known == flags.end()) return std::nullopt;
    known->second = argument.substr(equals + 1);
  }
  return flags;
}

runtime::Duration milliseconds(const std::string& text) {
  long count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) {
    std::fprintf(stderr, "faults_operator: \"%s\" is no number of milliseconds\n", text.c_str());
    std::exit(EXIT_FAILURE);
  }
  return runtime::Duration{count};
}

runtime::WatchPolicy policy_of(const Flags& flags) {
  const auto of = [&](std::string_view flag) { return milliseconds(flags.find(flag)->second); };
  return {.backoff_first = of("backoff-first"),
          .backoff_cap = of("backoff-cap"),
          .healthy_after = of("healthy-after"),
          .initial_events_timeout = of("initial-events-timeout"),
          .idle_timeout = of("idle-timeout"),
          .open_timeout = of("open-timeout"),
          .server_timeout_min = of("server-timeout"),
          .server_timeout_max = of("server-timeout")};
}

int run(const Flags& flags) {
  const auto of = [&](std::string_view flag) { return flags.find(flag)->second; };
  const auto logger = runtime::make_stderr_logger(runtime::LogLevel::Debug, runtime::LogFormat::Text);
  runtime::ManagerOptions options{.name = of("name"), .version = "0", .kubeconfig = of("kubeconfig")};
  if (!of("namespace").empty()) options.namespaces = {of("namespace")};
  options.leader_elect = of("leader-elect") == "true";
  options.lease_name = of("lease-name");
  options.lease_namespace = of("namespace");
  options.metrics_address = of("metrics");
  options.health_address = of("health");
  options.watch_policy = policy_of(flags);
  auto manager = runtime::Manager::connect(options, *logger);
  if (!manager) {
    logger->error("Could not connect", {{"error", manager.error().message}});
    return EXIT_FAILURE;
  }
  auto& sources = (*manager)->add_informer<kube::ConfigMap>({.label_selector = std::string(faults::source_selector)});
  auto& copies = (*manager)->add_informer<kube::Service>({.label_selector = std::string(faults::copy_selector)});
  copies.store().add_index(std::string(faults::copies_of),
                           [](const kube::Service& copy) { return std::vector{to_string(faults::source_of(copy))}; });
  const auto names = of("copy-names") == "fresh" ? faults::CopyNames::Fresh : faults::CopyNames::Fixed;
  auto& mirror =
      (*manager)->add_controller("mirror",
                                 std::make_unique<faults::Mirror>(sources.store(), copies.store(), names,
                                                                  (*manager)->random(), (*manager)->metrics()),
                                 {.backoff = {.cap = milliseconds(of("retry-cap"))}});
  runtime::watch_primary(mirror, sources, runtime::any_change<kube::ConfigMap>());
  runtime::watch_mapped<kube::Service>(mirror, copies,
                                       [](const kube::Service& copy) { return std::vector{faults::source_of(copy)}; });
  return (*manager)->run();
}

}  // namespace

int main(int argc, char** argv) {
  runtime::Manager::block_signals();
  const auto flags = parse(argc, argv);
  if (!flags) {
    std::fputs("usage: faults_operator --FLAG=VALUE ...; flags and what they are without being given:\n", stderr);
    for (const auto& [flag, value] : defaults()) std::fprintf(stderr, "  --%s=%s\n", flag.c_str(), value.c_str());
    return EXIT_FAILURE;
  }
  return run(*flags);
}
