#include "agent/net/address.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstdint>
#include <cstring>

namespace reprise::agent {
namespace {

std::optional<std::uint16_t> port_of(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (problem != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
  return htons(port);
}

template <class SocketAddress>
void put(Address& into, const SocketAddress& address) {
  std::memcpy(&into.address, &address, sizeof address);
  into.length = sizeof address;
}

}  // namespace

std::optional<Address> parse_url(std::string_view url, std::string_view scheme) {
  if (!url.starts_with(scheme)) return std::nullopt;
  url.remove_prefix(scheme.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  const auto colon = url.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = port_of(url.substr(colon + 1));
  if (!port) return std::nullopt;
  const std::string_view host = url.substr(0, colon);
  Address found;
  found.text = url;
  if (host.starts_with('[') && host.ends_with(']')) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = *port;
    if (::inet_pton(AF_INET6, std::string(host.substr(1, host.size() - 2)).c_str(), &address.sin6_addr) != 1)
      return std::nullopt;
    put(found, address);
    return found;
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = *port;
  if (::inet_pton(AF_INET, std::string(host).c_str(), &address.sin_addr) != 1) return std::nullopt;
  put(found, address);
  return found;
}

}  // namespace reprise::agent
