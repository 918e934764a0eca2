// For each Greeting keeps a ConfigMap of the same name with its text. Usage: KUBECONFIG=... greeter
#include "kinds.h"
#include "runtime/kube/conditions.h"
#include "runtime/kube/owner_reference.h"
#include "runtime/manager/manager.h"
#include "runtime/manager/status_writer.h"
#include "runtime/manager/watches.h"

namespace runtime = reprise::runtime;
using greeter::Greeting, greeter::Letter, runtime::Next, runtime::Result, runtime::Store;

class Greeter final : public runtime::Reconciler {
 public:
  Greeter(const Store<Greeting>& greetings, const Store<Letter>& letters) : greetings_(greetings), letters_(letters) {}

  Result<Next> reconcile(runtime::ReconcileContext& context, const runtime::ObjectKey& key) override {
    const auto greeting = greetings_.get(key);
    if (!greeting || greeting->meta.deletion_timestamp) return Next::done();  // its letter goes with it
    context.set_owner(greeting->meta.uid);
    if (auto sent = send(context, *greeting, letters_.get(key)); !sent) return std::unexpected(sent.error());
    Greeting::Status status = greeting->status;
    status.observed_generation = greeting->meta.generation;
    const auto now = std::chrono::floor<std::chrono::seconds>(context.clock().wall());
    reprise::kube::ConditionSetter conditions(status.conditions, greeting->meta.generation, now);
    conditions.set_true("Ready", "Sent", "ConfigMap " + key.name + " holds the text");
    const auto written = runtime::write_status_if_changed(context, *greeting, status);
    return written ? Result<Next>(Next::done()) : std::unexpected(written.error());
  }

 private:
  static Result<void> send(runtime::ReconcileContext& context, const Greeting& from,
                           std::shared_ptr<const Letter> seen) {
    if (seen && seen->text == from.text) return {};
    Letter letter{.meta = {.name = from.meta.name, .namespace_ = from.meta.namespace_}, .text = from.text};
    letter.meta.labels = {{"example.dev/greeting", "true"}};
    letter.meta.owner_references = {reprise::kube::owner_reference(from)};
    if (seen) letter.meta.resource_version = seen->meta.resource_version;  // a Conflict if it has changed since
    auto sent =
        seen ? context.patch<Letter>(from.meta.namespace_, from.meta.name, runtime::PatchType::Merge, encode(letter))
             : context.create<Letter>(from.meta.namespace_, encode(letter));
    return sent ? Result<void>() : std::unexpected(sent.error());
  }

  const Store<Greeting>& greetings_;
  const Store<Letter>& letters_;
};

int main() {
  runtime::Manager::block_signals();
  const auto logger = runtime::make_stderr_logger(runtime::LogLevel::Info, runtime::LogFormat::Text);
  auto manager = runtime::Manager::connect(
      {.name = "greeter", .lease_name = "greeter", .metrics_address = "0", .health_address = "0"}, *logger);
  if (!manager) return logger->error("Could not connect", {{"error", manager.error().message}}), EXIT_FAILURE;
  auto& greetings = (*manager)->add_informer<Greeting>();
  auto& letters = (*manager)->add_informer<Letter>({.label_selector = "example.dev/greeting"});
  auto& greeter = (*manager)->add_controller("greeter", std::make_unique<Greeter>(greetings.store(), letters.store()));
  runtime::watch_primary(greeter, greetings);
  runtime::watch_owned<Greeting>(greeter, letters);
  return (*manager)->run();
}
