#include "controllers/gpupool/warm/warm_pod.h"

#include <algorithm>

#include "controllers/common/indexes.h"
#include "controllers/common/priority_class.h"
#include "controllers/gpupool/sharing/request_gpus.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/gpupool/usage/in_quotes.h"
#include "runtime/kube/owner_reference.h"

namespace reprise::controllers::gpupool {
namespace {

// Enough for a program that waits; a pod of any size takes its place.
constexpr std::string_view kContainerRest =
    R"("securityContext":{"allowPrivilegeEscalation":false,"readOnlyRootFilesystem":true,"capabilities":{"drop":["ALL"]}})";
constexpr std::string_view kPodSecurity =
    R"("securityContext":{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}})";

std::string container(const Settings& settings, int number, std::int32_t units) {
  std::string text = R"({"name":"gpu-)" + std::to_string(number) + R"(","image":)" + in_quotes(settings.agent_image);
  if (!settings.agent_image_pull_policy.empty())
    text += R"(,"imagePullPolicy":)" + in_quotes(settings.agent_image_pull_policy);
  text += R"(,"command":["/reprise-agent","pause"],"resources":{"requests":{"cpu":"10m","memory":"16Mi"},)";
  text += R"("limits":{"memory":"64Mi",)" + in_quotes(api::kUnitResource) + R"(:")" + std::to_string(units) + R"("}},)";
  return text + std::string(kContainerRest) + "}";
}

// Several containers share the units where no container may ask for all of them.
std::string pod_template(const GpuSharing& sharing, const Settings& settings) {
  const std::int32_t units = std::max(sharing.units_per_gpu, 1);
  const std::int32_t at_once = std::max(sharing.max_units.value_or(units), 1);
  std::string containers;
  for (std::int32_t given = 0, number = 0; given < units; given += at_once, ++number) {
    if (number > 0) containers += ",";
    containers += container(settings, number, std::min(at_once, units - given));
  }
  return R"({"spec":{)" + std::string(kPodSecurity) + R"(,"containers":[)" + containers + "]}}";
}

}  // namespace

std::string warm_pod_name(std::string_view pool, std::int32_t index) {
  return std::string(pool) + "-warm-" + std::to_string(index);
}

api::PodBuilder build_warm_pod(const api::GpuPool& pool, const Settings& settings) {
  api::PodBuilder pod;
  pod.namespace_ = settings.own_namespace;
  pod.labels = {{std::string(kWarmLabel), pool.meta.name},
                {std::string(kPoolUidLabel), pool.meta.uid},
                {"app.kubernetes.io/managed-by", "reprise"}};
  pod.owner = kube::owner_reference(pool);
  pod.template_json = pod_template(sharing_of(pool.spec.sharing), settings);
  pod.container = "gpu-0";
  pod.pod_info = false;
  pod.image_pull_secrets = settings.agent_image_pull_secrets;
  pod.node_selector = {{std::string(kPoolLabel), pool.meta.name}};
  pod.priority_class_name = kStandbyPriorityClass;
  pod.termination_grace_period_seconds = 1;
  tolerate_taints(pool.spec, pod);
  request_gpus(pool, pod);
  pod.annotations[std::string(kMadeOfAnnotation)] = api::render_pod(pod).value_or(std::string());
  return pod;
}

std::string_view pool_kept_warm(const kube::Pod& pod, const Settings& settings) {
  return pod.meta.namespace_ == settings.own_namespace ? pod.meta.label(kWarmLabel) : std::string_view{};
}

}  // namespace reprise::controllers::gpupool
