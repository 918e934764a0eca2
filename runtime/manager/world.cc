#include "runtime/manager/world.h"

#include <random>

namespace reprise::runtime {
namespace {

std::uint64_t fresh_seed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

}  // namespace

RealWorld::RealWorld(const ClusterConfig& config, const ApiTransportOptions& options, MetricsRegistry& metrics)
    : random(fresh_seed()), transport(make_api_transport(executor, clock, random, metrics, config, options)) {}

RealWorld::~RealWorld() {
  executor.stop();
}

}  // namespace reprise::runtime
