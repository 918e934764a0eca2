// The address of a server: "https://10.96.0.12:9446" or "http://[fd00::12]:80". A static program resolves no names.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string>
#include <string_view>

namespace reprise::agent {

inline constexpr std::string_view kHttps = "https://";
inline constexpr std::string_view kHttp = "http://";

struct Address {
  sockaddr_storage address{};
  socklen_t length = 0;
  std::string text;  // "10.96.0.12:9446"
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

// Empty where it is anything else, or of another scheme.
[[nodiscard]] std::optional<Address> parse_url(std::string_view url, std::string_view scheme);

}  // namespace reprise::agent
