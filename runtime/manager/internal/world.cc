#include "runtime/manager/internal/world.h"

#include <random>

namespace reprise::runtime {
namespace {

std::uint64_t fresh_seed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

std::string host_of(const std::string& url) {
  const std::size_t begin = url.find("://");
  const std::string rest = begin == std::string::npos ? url : url.substr(begin + 3);
  return rest.substr(0, rest.find('/'));
}

}  // namespace

RealWorld::RealWorld(ClusterConfig config, MetricsRegistry& metrics) : random(fresh_seed()) {
  auto tokens = make_token_source(config, clock);
  curl = make_curl_transport(executor, config.server);
  metered = with_request_metrics(*curl, metrics, clock, host_of(config.server.url));
  credentialed = with_credentials(*metered, std::move(tokens));
}

RealWorld::~RealWorld() {
  executor.stop();
}

}  // namespace reprise::runtime
