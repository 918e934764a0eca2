#include "controllers/gpupool/providers/known_labels.h"

#include <algorithm>
#include <span>

namespace reprise::controllers::gpupool {
namespace {

// WellKnownLabels and NormalizedLabels of Karpenter 1.14 (pkg/apis/v1/labels.go). Its own domain is below: a later
// version may know more of it.
constexpr std::string_view kOfKubernetes[] = {"topology.kubernetes.io/zone",
                                              "topology.kubernetes.io/region",
                                              "node.kubernetes.io/instance-type",
                                              "kubernetes.io/arch",
                                              "kubernetes.io/os",
                                              "node.kubernetes.io/windows-build",
                                              "failure-domain.beta.kubernetes.io/zone",
                                              "failure-domain.beta.kubernetes.io/region",
                                              "beta.kubernetes.io/arch",
                                              "beta.kubernetes.io/os",
                                              "beta.kubernetes.io/instance-type"};

// Domains of which the provider makes labels known, or may: each with those below it.
struct Provider {
  std::string_view group;
  std::span<const std::string_view> domains;
};
// From karpenter-provider-aws 1.14 (pkg/apis/v1/labels.go); the zone of EBS is read as the zone.
constexpr std::string_view kAwsDomains[] = {"karpenter.sh", "karpenter.k8s.aws", "topology.k8s.aws",
                                            "topology.ebs.csi.aws.com"};
// From kwok's provider (kwok/apis/v1alpha1/labels.go); its list of types may bear AWS's labels.
constexpr std::string_view kKwokDomains[] = {"karpenter.sh", "karpenter.kwok.sh", "kwok.x-k8s.io", "karpenter.k8s.aws",
                                             "topology.k8s.aws"};
constexpr std::string_view kAzureDomains[] = {"karpenter.sh", "karpenter.azure.com", "azure.com"};
constexpr std::string_view kGcpDomains[] = {"karpenter.sh", "karpenter.k8s.gcp", "google.com", "gke.io"};
// Domains of all labels that some platform may set.
constexpr std::string_view kAnyDomains[] = {"karpenter.sh",      "kubernetes.io",    "k8s.io",     "amazonaws.com",
                                            "k8s.aws",           "azure.com",        "google.com", "gke.io",
                                            "karpenter.k8s.gcp", "karpenter.kwok.sh"};

constexpr Provider kProviders[] = {{"karpenter.k8s.aws", kAwsDomains},
                                   {"karpenter.kwok.sh", kKwokDomains},
                                   {"karpenter.azure.com", kAzureDomains},
                                   {"karpenter.k8s.gcp", kGcpDomains}};

bool is_in(std::string_view domain, std::string_view around) {
  return domain == around || (domain.ends_with(around) && domain[domain.size() - around.size() - 1] == '.');
}

}  // namespace

bool is_known_beforehand(std::string_view node_class_group, std::string_view label) {
  const auto slash = label.find('/');
  if (slash == std::string_view::npos) return false;
  if (std::ranges::find(kOfKubernetes, label) != std::end(kOfKubernetes)) return true;
  const std::string_view domain = label.substr(0, slash);
  // Node feature discovery writes on running nodes, and each machine has a name of its own.
  if (domain == "feature.node.kubernetes.io" || label == "kubernetes.io/hostname") return false;
  const auto provider = std::ranges::find(kProviders, node_class_group, &Provider::group);
  const auto domains =
      provider == std::end(kProviders) ? std::span<const std::string_view>(kAnyDomains) : provider->domains;
  // The provider's own group may be one that this version does not know.
  return is_in(domain, node_class_group) ||
         std::ranges::any_of(domains, [&](std::string_view each) { return is_in(domain, each); });
}

}  // namespace reprise::controllers::gpupool
