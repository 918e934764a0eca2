#include "controllers/reports/kinds.h"

#include "runtime/kube/object_reader.h"
#include "runtime/kube/object_writer.h"
#include "runtime/kube/owner_reference.h"

namespace reprise::controllers::reports {
namespace {

bool is_ipv6(const std::string& address) {
  return address.find(':') != std::string::npos;
}

}  // namespace

// A slice has addresses of one family, which never changes.
std::string endpoint_slice_name(const ReportService& service, const std::string& address) {
  return std::string(service.meta.name) + (is_ipv6(address) ? "-leader-ipv6" : "-leader-ipv4");
}

std::string encode_endpoint_slice(const ReportService& service, const std::string& address, int port) {
  kube::ObjectMeta meta;
  meta.name = endpoint_slice_name(service, address);
  meta.namespace_ = service.meta.namespace_;
  meta.labels = {{"kubernetes.io/service-name", std::string(service.meta.name)},
                 {"endpointslice.kubernetes.io/managed-by", "reprise-operator"}};
  meta.owner_references = {kube::owner_reference(service, kube::BlockOwnerDeletion::No)};
  std::string slice = kube::ObjectWriter(kube::KindOf<EndpointSlice>::info(), meta)
                          .text("addressType", is_ipv6(address) ? "IPv6" : "IPv4")
                          .json();
  slice.pop_back();  // an address and a number need no escapes
  return slice + R"(,"endpoints":[{"addresses":[")" + address +
         R"("],"conditions":{"ready":true}}],"ports":[{"name":"reports","protocol":"TCP","port":)" +
         std::to_string(port) + "}]}";
}

}  // namespace reprise::controllers::reports

namespace reprise::kube {

std::expected<controllers::reports::ReportService, DecodeError> KindOf<controllers::reports::ReportService>::decode(
    std::string_view json) {
  const ObjectReader reader(json);
  return reader.finish(controllers::reports::ReportService{.meta = reader.meta(),
                                                           .cluster_ip = reader.text("spec.clusterIP").value_or("")});
}

std::expected<controllers::reports::EndpointSlice, DecodeError> KindOf<controllers::reports::EndpointSlice>::decode(
    std::string_view json) {
  const ObjectReader reader(json);
  return reader.finish(controllers::reports::EndpointSlice{.meta = reader.meta()});
}

}  // namespace reprise::kube
