// Where reports go: "https://10.96.0.12:9446" or "https://[fd00::12]:9446". A static program resolves no names.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string>
#include <string_view>

namespace reprise::agent {

struct ReportAddress {
  sockaddr_storage address{};
  socklen_t length = 0;
  std::string text;  // "10.96.0.12:9446"
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

// Nothing where it is anything else.
[[nodiscard]] std::optional<ReportAddress> parse_report_url(std::string_view url);

}  // namespace reprise::agent
