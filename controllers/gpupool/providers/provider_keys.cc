#include "controllers/gpupool/providers/provider_keys.h"

namespace reprise::controllers::gpupool {

std::optional<ProviderKeys> provider_keys(std::string_view node_class_group) {
  const ProviderKeys aws{"karpenter.k8s.aws/instance-gpu-name", "karpenter.k8s.aws/instance-gpu-count",
                         "karpenter.k8s.aws/instance-gpu-memory", true, true};
  if (node_class_group == "karpenter.k8s.aws") return aws;
  if (node_class_group == "karpenter.kwok.sh") {
    // kwok knows a count only from offerings, and an overlay keyed on it never matches.
    ProviderKeys kwok = aws;
    kwok.count_is_on_types = false;
    return kwok;
  }
  if (node_class_group == "karpenter.azure.com") {
    return ProviderKeys{"karpenter.azure.com/sku-gpu-name", "karpenter.azure.com/sku-gpu-count", "", true};
  }
  if (node_class_group == "karpenter.k8s.gcp") {
    return ProviderKeys{"karpenter.k8s.gcp/instance-gpu-name", "karpenter.k8s.gcp/instance-gpu-count",
                        "karpenter.k8s.gcp/instance-gpu-memory", true};
  }
  return std::nullopt;
}

}  // namespace reprise::controllers::gpupool
