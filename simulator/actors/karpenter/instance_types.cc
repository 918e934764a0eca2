#include "simulator/actors/karpenter/instance_types.h"

#include <charconv>
#include <string_view>

#include "controllers/gpupool/providers/catalog.h"

namespace reprise::simulator {
namespace {

int cpus_of(std::string_view type) {
  const std::string_view size = type.substr(type.find('.') + 1);
  int factor = 1;
  std::from_chars(size.data(), size.data() + size.size(), factor);
  return 4 * factor;
}

InstanceType make(std::string_view name, std::int64_t micro_usd) {
  const std::int64_t cpus = cpus_of(name);
  InstanceType made;
  made.name = name;
  made.labels["node.kubernetes.io/instance-type"] = made.name;
  made.capacity = {{"cpu", cpus * 1000}, {"memory", cpus * 4 * 1000 << 30}, {"pods", 110'000}};
  made.micro_usd_per_hour = micro_usd;
  return made;
}

}  // namespace

std::vector<InstanceType> instance_types_of_catalog() {
  std::vector<InstanceType> types{make("m7i.4xlarge", 806'400)};
  for (const auto& each : controllers::gpupool::catalog()) {
    InstanceType type = make(each.name, each.on_demand_micro_usd_per_hour);
    type.gpus = each.gpus;
    type.labels["karpenter.k8s.aws/instance-gpu-name"] = each.gpu_model;
    type.labels["karpenter.k8s.aws/instance-gpu-count"] = std::to_string(each.gpus);
    type.labels["karpenter.k8s.aws/instance-gpu-memory"] = std::to_string(each.gpu_memory_mib);
    type.labels["karpenter.k8s.aws/instance-gpu-manufacturer"] = "nvidia";
    types.push_back(std::move(type));
  }
  return types;
}

}  // namespace reprise::simulator
