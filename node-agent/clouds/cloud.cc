#include "node-agent/clouds/cloud.h"

#include "node-agent/clouds/aws.h"
#include "node-agent/clouds/azure.h"
#include "node-agent/clouds/gcp.h"

namespace reprise::node_agent {

std::optional<Provider> provider_of_name(std::string_view name_of) {
  for (const Provider each : {Provider::Aws, Provider::Gcp, Provider::Azure}) {
    if (name(each) == name_of) return each;
  }
  return std::nullopt;
}

std::optional<Provider> provider_of_id(std::string_view provider_id) {
  if (provider_id.starts_with("aws://")) return Provider::Aws;
  if (provider_id.starts_with("gce://")) return Provider::Gcp;
  if (provider_id.starts_with("azure://")) return Provider::Azure;
  return std::nullopt;
}

std::string_view name(Provider provider) {
  switch (provider) {
    case Provider::Aws:
      return "aws";
    case Provider::Gcp:
      return "gcp";
    case Provider::Azure:
      break;
  }
  return "azure";
}

std::unique_ptr<Cloud> make_cloud(Provider provider) {
  switch (provider) {
    case Provider::Aws:
      return std::make_unique<Aws>();
    case Provider::Gcp:
      return std::make_unique<Gcp>();
    case Provider::Azure:
      break;
  }
  return std::make_unique<Azure>();
}

}  // namespace reprise::node_agent
