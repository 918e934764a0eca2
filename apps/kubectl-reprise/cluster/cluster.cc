#include "apps/kubectl-reprise/cluster/cluster.h"

#include <cstdlib>
#include <filesystem>
#include <future>
#include <random>
#include <utility>

#include "runtime/client/api_transport.h"
#include "version.h"

namespace reprise::plugin {
namespace {

// Few retries: a person waits at the terminal.
constexpr runtime::ApiTransportOptions kOptions{.retries = {.tries = 3}};

class RealCluster final : public Cluster {
 public:
  explicit RealCluster(const runtime::ClusterConfig& config)
      : random_(std::random_device{}()),
        namespace_(config.namespace_),
        transport_(runtime::make_api_transport(executor_, clock_, random_, metrics_, config, kOptions)),
        client_(runtime::make_client(*transport_, clock_)) {}
  // Runs posted work first: streams end while the transport stands.
  ~RealCluster() override {
    std::promise<void> done;
    executor_.post([&done] { done.set_value(); });
    done.get_future().wait();
    executor_.stop();
  }
  RealCluster(const RealCluster&) = delete;
  RealCluster& operator=(const RealCluster&) = delete;

  runtime::Client& client() override { return *client_; }
  runtime::Transport& transport() override { return *transport_; }
  runtime::Executor& executor() override { return executor_; }
  std::string context_namespace() const override { return namespace_; }
  runtime::WritePermit permit() const override { return *runtime::AlwaysPermitted().permit(); }

 private:
  runtime::SystemClock clock_;
  runtime::SeededRandom random_;
  runtime::MetricsRegistry metrics_;
  runtime::AsioExecutor executor_;
  std::string namespace_;
  std::unique_ptr<runtime::Transport> transport_;
  std::unique_ptr<runtime::Client> client_;
};

// Adds how the file was named, since there may be an error in the name.
runtime::Error with_hint(runtime::Error error, const ClusterChoice& choice) {
  const char* home = std::getenv("HOME");
  const std::filesystem::path usual = std::filesystem::path(home != nullptr ? home : "") / ".kube/config";
  if (std::error_code ignored; !choice.kubeconfig.empty()) {
    error.message += "; --kubeconfig names that file";
  } else if (std::getenv("KUBECONFIG") != nullptr) {
    error.message += "; KUBECONFIG names that file, --kubeconfig would name another";
  } else if (!std::filesystem::exists(usual, ignored)) {
    error.message += "; neither --kubeconfig nor KUBECONFIG names one";
  }
  return error;
}

}  // namespace

runtime::Result<std::unique_ptr<Cluster>> connect(const ClusterChoice& choice) {
  auto config = runtime::find_cluster(choice.kubeconfig, choice.context);
  if (!config) return std::unexpected(with_hint(std::move(config).error(), choice));
  if (!choice.server.empty()) config->server.url = choice.server;
  if (!choice.token.empty()) {
    config->token = choice.token;
    config->token_file.clear();
    config->exec.reset();
  }
  if (!choice.as.empty()) config->impersonate = {.user = choice.as, .uid = choice.as_uid, .groups = choice.as_groups};
  config->server.user_agent = std::string("kubectl-reprise/") + apps::kVersion;
  return std::make_unique<RealCluster>(*config);
}

}  // namespace reprise::plugin
