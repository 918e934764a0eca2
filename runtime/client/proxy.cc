#include "runtime/client/proxy.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "runtime/http/authority.h"

namespace reprise::runtime {
namespace {

namespace ip = boost::asio::ip;

std::string either(const char* capitals, const char* small) {
  for (const char* name : {capitals, small}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

std::optional<ip::address> address_of(std::string host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const auto address = ip::make_address(host, error);
  return error ? std::nullopt : std::optional(address);
}

bool in_network(const ip::address& address, const std::string& network) {
  boost::system::error_code error;
  if (address.is_v4()) {
    const auto v4 = ip::make_network_v4(network, error);
    return !error && ip::network_v4(address.to_v4(), v4.prefix_length()).canonical() == v4.canonical();
  }
  const auto v6 = ip::make_network_v6(network, error);
  return !error && ip::network_v6(address.to_v6(), v6.prefix_length()).canonical() == v6.canonical();
}

bool matches(std::string entry, const Authority& server, const std::optional<ip::address>& address) {
  if (entry == "*") return true;
  if (address && in_network(*address, entry)) return true;
  if (const auto exact = address_of(entry)) return address == exact;
  if (const std::size_t colon = entry.rfind(':'); colon != std::string::npos) {
    if (entry.substr(colon + 1) != server.port) return false;
    entry.resize(colon);
  }
  if (address) return address == address_of(entry);
  if (entry.starts_with("*.")) entry.erase(0, 1);
  if (entry.starts_with('.')) return server.host.ends_with(entry);
  return server.host == entry || server.host.ends_with("." + entry);
}

}  // namespace

ProxyEnvironment read_proxy_environment() {
  return {either("HTTPS_PROXY", "https_proxy"), either("HTTP_PROXY", "http_proxy"), either("NO_PROXY", "no_proxy")};
}

std::string choose_proxy(const ProxyEnvironment& environment, const std::string& url) {
  const Authority server = split_url(url);
  const std::string& proxy = server.scheme == "http" ? environment.http_proxy : environment.https_proxy;
  const auto address = address_of(server.host);
  if (proxy.empty() || server.host == "localhost" || (address && address->is_loopback())) return {};
  std::istringstream entries(environment.no_proxy);
  for (std::string entry; std::getline(entries, entry, ',');) {
    std::erase(entry, ' ');
    if (!entry.empty() && matches(entry, server, address)) return {};
  }
  return proxy;
}

Result<std::string> check_proxy_url(std::string url) {
  if (url.empty()) return url;
  if (url.find("://") == std::string::npos) url.insert(0, "http://");
  const std::string scheme = url.substr(0, url.find("://"));
  if (scheme == "http" || scheme == "https" || scheme == "socks5") return url;
  return fail(ErrorClass::Terminal, "the proxy's scheme is \"" + scheme + "\"; http, https and socks5 are known");
}

}  // namespace reprise::runtime
