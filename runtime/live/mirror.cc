// A small operator on the runtime alone, to be run by hand against a real API server: for each ConfigMap labelled
// reprise.dev/mirror=source it keeps a copy named "<name>-copy" with the same data, and deletes copies of what is gone.
// usage: runtime_mirror [NAMESPACE]     KUBECONFIG, NAME (of the user agent), LEADER_ELECT=0|1, METRICS=:8080,
// HEALTH=:8081, DEBUG=127.0.0.1:8082 from the environment
#include <cstdlib>
#include <string>

#include "api/kubernetes/core.h"
#include "runtime/manager/manager.h"
#include "runtime/observe/log_object.h"

namespace {

using namespace std::string_literals;
namespace api = reprise::api;
namespace runtime = reprise::runtime;
using runtime::Next;
using runtime::Result;

constexpr std::string_view label = "reprise.dev/mirror";

class Mirror final : public runtime::Reconciler {
 public:
  explicit Mirror(const runtime::Store<api::ConfigMap>& maps) : maps_(maps) {}

  Result<Next> reconcile(runtime::ReconcileContext& context, const runtime::ObjectKey& key) override {
    const auto source = maps_.get(key);
    const auto copy = maps_.get(key.namespace_, key.name + "-copy");
    if (copy && copy->meta.label(label) != "copy") return Next::done();
    if (!source || source->meta.label(label) != "source") {
      if (copy) {
        if (auto removed = context.remove(*copy); !removed) return std::unexpected(removed.error());
      }
      return Next::done();
    }
    context.set_owner(source->meta.uid);
    api::ConfigMap wanted;
    wanted.meta.namespace_ = key.namespace_;
    wanted.meta.name = key.name + "-copy";
    wanted.meta.labels.emplace(label, "copy");
    wanted.data = source->data;
    if (!copy) {
      auto made = context.create<api::ConfigMap>(key.namespace_, api::encode(wanted));
      if (!made) return std::unexpected(made.error());
      context.events().record(*source, runtime::EventType::Normal, "Mirrored", "Create", "Made a copy");
      context.logger().info("Made a copy", {runtime::about(*made), {"version", made->meta.resource_version}});
    } else if (copy->data != source->data) {
      wanted.meta.resource_version = copy->meta.resource_version;
      auto patched = context.patch<api::ConfigMap>(key.namespace_, wanted.meta.name, runtime::PatchType::Merge,
                                                   api::encode(wanted));
      if (!patched) return std::unexpected(patched.error());
      context.events().record(*source, runtime::EventType::Normal, "Mirrored", "Update", "Updated the copy");
      context.logger().info("Updated the copy",
                            {runtime::about(*patched), {"version", patched->meta.resource_version}});
    }
    return Next::done();
  }

 private:
  const runtime::Store<api::ConfigMap>& maps_;
};

std::string environment(const char* name, std::string fallback) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::move(fallback) : std::string(value);
}

}  // namespace

int main(int argc, char** argv) {
  runtime::Manager::block_signals();
  const auto logger = runtime::make_stderr_logger(runtime::LogLevel::Debug, runtime::LogFormat::Text);
  runtime::ManagerOptions options{.name = environment("NAME", "runtime-mirror"), .version = "0"};
  if (argc > 1) options.namespaces = {argv[1]};
  options.leader_elect = environment("LEADER_ELECT", "1") == "1";
  options.lease_name = "runtime-mirror";
  options.metrics_address = environment("METRICS", "0");
  options.health_address = environment("HEALTH", "0");
  options.debug_address = environment("DEBUG", "0");
  auto manager = runtime::Manager::connect(options, *logger);
  if (!manager) {
    logger->error("Could not connect", {{"error", manager.error().message}});
    return EXIT_FAILURE;
  }
  auto& maps = (*manager)->add_informer<api::ConfigMap>();
  auto& mirror = (*manager)->add_controller("mirror", std::make_unique<Mirror>(maps.store()));
  maps.on_any([&mirror](const api::ConfigMap& map) {
    std::string name = map.meta.name;
    if (name.ends_with("-copy")) name.resize(name.size() - 5);
    if (!map.meta.label(label).empty()) mirror.enqueue({map.meta.namespace_, std::move(name)});
  });
  return (*manager)->run();
}
