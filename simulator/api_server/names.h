// Kubernetes' rules for names, labels and finalizers. Empty: allowed; otherwise its message.
#pragma once

#include <string>
#include <string_view>

namespace reprise::simulator {

[[nodiscard]] std::string wrong_subdomain(std::string_view name);  // most names
[[nodiscard]] std::string wrong_dns_label(std::string_view name);  // namespaces
[[nodiscard]] std::string wrong_service_name(std::string_view name);
[[nodiscard]] std::string wrong_qualified_name(std::string_view name);  // label and annotation keys, finalizers
[[nodiscard]] std::string wrong_label_value(std::string_view value);

}  // namespace reprise::simulator
