// The kinds of the operator's own namespace that reports need, as far as they are read and written here.
#pragma once

#include <expected>
#include <string>

#include "runtime/kube/meta.h"

namespace reprise::controllers::reports {

// The Service to which agents report.
struct ReportService {
  kube::ObjectMeta meta;
  std::string cluster_ip;  // empty, or "None": it has no address
};

struct EndpointSlice {
  kube::ObjectMeta meta;
};

// Leads the Service to one address. `port` has the name that the Service's port has.
[[nodiscard]] std::string encode_endpoint_slice(const ReportService& service, const std::string& address, int port);
// A JSON patch that does so with a slice that is there, if the Service controls it; it fails for somebody else's.
[[nodiscard]] std::string encode_endpoint_change(const ReportService& service, const std::string& address, int port);
[[nodiscard]] std::string endpoint_slice_name(const ReportService& service, const std::string& address);
}  // namespace reprise::controllers::reports

namespace reprise::kube {

template <>
struct KindOf<controllers::reports::ReportService> {
  static constexpr KindInfo info() { return {"", "v1", "Service", "services", true}; }
  [[nodiscard]] static std::expected<controllers::reports::ReportService, DecodeError> decode(std::string_view json);
};
template <>
struct KindOf<controllers::reports::EndpointSlice> {
  static constexpr KindInfo info() { return {"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", true}; }
  [[nodiscard]] static std::expected<controllers::reports::EndpointSlice, DecodeError> decode(std::string_view json);
};

}  // namespace reprise::kube
