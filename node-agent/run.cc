#include "node-agent/run.h"

#include <signal.h>

#include <cstdio>
#include <memory>

#include "node-agent/api_server.h"
#include "node-agent/clouds/metadata_service.h"
#include "node-agent/watch.h"

namespace reprise::node_agent {
namespace {

void say(std::string_view text) {
  std::fprintf(stderr, "reprise-node-agent: %.*s\n", static_cast<int>(text.size()), text.data());
}

// Signals that end the program wait until somebody asks for them: nothing is cut in the middle.
class Ending {
 public:
  Ending() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    sigprocmask(SIG_BLOCK, &signals_, nullptr);
  }
  // True when a signal came before the time was over.
  [[nodiscard]] bool within(runtime::Duration time) const {
    const timespec wait{.tv_sec = time.count() / 1000, .tv_nsec = time.count() % 1000 * 1'000'000};
    return sigtimedwait(&signals_, nullptr, &wait) > 0;
  }

 private:
  sigset_t signals_{};
};

// Asks until the Node is there and says of which cloud it is; nothing when the program is to end before.
std::optional<NodeView> first_look(Cluster& cluster, const Options& options, const Ending& ending) {
  runtime::Duration wait = Watch::kPeriod;
  std::string told;
  for (;;) {
    auto node = cluster.read_node();
    if (node && (options.provider || !node->provider_id.empty())) return *std::move(node);
    std::string problem = node ? "Node " + node->name + " has no spec.providerID yet" : node.error().why;
    if (problem != told) say("waits: " + problem);
    told = std::move(problem);
    if (ending.within(wait)) return std::nullopt;
    wait = std::min(wait * 2, Watch::kLongestPause);
  }
}

// There is no metadata service to ask: a restart would not change that.
int wait_for_the_end(const NodeView& node, const Ending& ending) {
  say("nothing to watch: spec.providerID of Node " + node.name + " is \"" + node.provider_id +
      "\", must begin with aws://, gce:// or azure://; --provider says it otherwise");
  while (!ending.within(std::chrono::hours(1))) {
  }
  return 0;
}

}  // namespace

int run(const Options& options) {
  const Ending ending;
  const runtime::SystemClock clock;
  ApiServer cluster({.address = *agent::parse_url(options.server, agent::kHttps),
                     .server_name = options.server_name,
                     .token_file = options.token_file,
                     .authority_file = options.authority_file,
                     .node_name = options.node_name},
                    clock);
  MetadataService metadata(*agent::parse_url(options.metadata_url, agent::kHttp), clock);
  auto node = first_look(cluster, options, ending);
  if (!node) return 0;
  const auto provider = options.provider ? options.provider : provider_of_id(node->provider_id);
  if (!provider) return wait_for_the_end(*node, ending);
  say("watches " + options.metadata_url + " (" + std::string(name(*provider)) + ") for Node " + node->name);
  const std::unique_ptr<Cloud> cloud = make_cloud(*provider);
  Watch watch(*std::move(node), *cloud, metadata, cluster, clock, say);
  do {
    watch.look();
  } while (!ending.within(Watch::kPeriod));
  return 0;
}

}  // namespace reprise::node_agent
