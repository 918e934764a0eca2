#include "controllers/reports/kinds.h"

#include "runtime/kube/object_reader.h"
#include "runtime/kube/object_writer.h"
#include "runtime/kube/owner_reference.h"

namespace reprise::controllers::reports {
namespace {

bool is_ipv6(const std::string& address) {
  return address.find(':') != std::string::npos;
}

// An address and a number need no escapes.
std::string endpoints(const std::string& address) {
  return R"([{"addresses":[")" + address + R"("],"conditions":{"ready":true}}])";
}

std::string ports(int port) {
  return R"([{"name":"reports","protocol":"TCP","port":)" + std::to_string(port) + "}]";
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
  slice.pop_back();
  return slice + R"(,"endpoints":)" + endpoints(address) + R"(,"ports":)" + ports(port) + "}";
}

// A slice that the operator makes has one reference, that of the Service.
std::string encode_endpoint_change(const ReportService& service, const std::string& address, int port) {
  const std::string owner = R"("path":"/metadata/ownerReferences/0)";
  return R"([{"op":"test",)" + owner + R"(/uid","value":")" + std::string(service.meta.uid) + R"("},{"op":"test",)" +
         owner + R"(/controller","value":true},{"op":"add","path":"/endpoints","value":)" + endpoints(address) +
         R"(},{"op":"add","path":"/ports","value":)" + ports(port) + "}]";
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
