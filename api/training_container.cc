#include "api/training_container.h"

#include <algorithm>
#include <array>
#include <vector>

#include "runtime/kube/quantity.h"

namespace reprise::api {
namespace {

// "0" asks for nothing; what is no whole number is judged elsewhere.
bool asks_for_gpus(const kube::StringMap& amounts) {
  return std::ranges::any_of(amounts, [](const auto& each) {
    return asks_for_devices(each.first) && kube::whole_number(each.second).value_or(1) != 0;
  });
}

// "a and b", "a, b and c"
std::string names_of(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

TrainingChoice find_named(std::span<const ContainerOfTemplate> containers, std::string_view named) {
  const auto found = std::ranges::find(containers, named, &ContainerOfTemplate::name);
  if (found != containers.end()) return {.index = static_cast<std::size_t>(found - containers.begin()), .problem = {}};
  return {.index = {},
          .problem =
              "spec.container: found \"" + std::string(named) + "\", must be the name of a container in spec.template"};
}

}  // namespace

bool asks_for_devices(std::string_view resource) {
  // "volcano.sh/vgpu-number", "vke.volcengine.com/mgpu-core", "habana.ai/gaudi"
  constexpr std::array<std::string_view, 7> words{"gpu", "vgpu", "mgpu", "mig-", "tpu", "neuron", "gaudi"};
  const auto slash = resource.find('/');
  return slash != std::string_view::npos && std::ranges::any_of(words, [&](std::string_view word) {
           return resource.substr(slash + 1).starts_with(word);
         });
}

bool is_device_resource(std::string_view resource) {
  if (!asks_for_devices(resource)) return false;
  const std::string_view name = resource.substr(resource.find('/') + 1);
  // "nvidia.com/gpumem", "nvidia.com/gpucores", "aliyun.com/gpu-mem"; a neuroncore is a device.
  return name.starts_with("neuron") ||
         (name.find("mem") == std::string_view::npos && name.find("core") == std::string_view::npos);
}

TrainingChoice choose_training_container(std::span<const ContainerOfTemplate> containers, std::string_view named,
                                         bool in_pool) {
  if (!named.empty()) return find_named(containers, named);
  if (containers.empty()) return {.index = {}, .problem = "spec.template.spec.containers: must not be empty"};
  if (containers.size() == 1) return {.index = 0, .problem = {}};
  TrainingChoice choice;
  std::vector<std::string_view> asking;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (!containers[i].asks_for_gpus) continue;
    asking.push_back(containers[i].name);
    choice.index = i;
  }
  if (asking.size() == 1) return choice;
  if (!in_pool) return {.index = 0, .problem = {}};
  choice.index.reset();
  const std::string unit(kUnitResource);
  choice.problem = asking.empty() ? "spec.container: is missing, and none of the " + std::to_string(containers.size()) +
                                        " containers in spec.template asks for " + unit +
                                        ", by which the one that trains is known; write " + unit +
                                        " into its resources.limits, or its name into spec.container"
                                  : "spec.container: is missing, and containers " + names_of(asking) +
                                        " ask for GPUs; write the name of the one that trains into spec.container";
  return choice;
}

TrainingChoice choose_training_container(const ResumableJob& job) {
  const kube::List<TemplateContainer>& all = job.spec.pod_template.containers;
  std::vector<ContainerOfTemplate> containers;
  containers.reserve(all.size());
  for (const TemplateContainer& each : all)
    containers.push_back(
        {.name = each.name, .asks_for_gpus = asks_for_gpus(each.limits) || asks_for_gpus(each.requests)});
  return choose_training_container(containers, job.spec.container, !job.spec.pool_name.empty());
}

const TemplateContainer* training_container(const ResumableJob& job) {
  const auto choice = choose_training_container(job);
  return choice.index ? &job.spec.pod_template.containers[*choice.index] : nullptr;
}

}  // namespace reprise::api
