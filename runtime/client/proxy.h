// Chooses a proxy from the environment's variables, as Go's programs (kubectl) understand them.
#pragma once

#include <string>

#include "runtime/base/error.h"

namespace reprise::runtime {

struct ProxyEnvironment {
  std::string https_proxy, http_proxy, no_proxy;
};

// HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in capitals or, where those are not set, not.
[[nodiscard]] ProxyEnvironment read_proxy_environment();

// Empty: none. For https URLs https_proxy counts, for http URLs http_proxy. Loopback is never behind a proxy, nor is
// anything that no_proxy lists: "*", names with their subdomains ("a.com"), subdomains alone (".a.com"), addresses,
// networks ("10.0.0.0/8"), each perhaps with ":port".
[[nodiscard]] std::string choose_proxy(const ProxyEnvironment& environment, const std::string& url);

// Adds "http://" where no scheme is given. Terminal when it is none of http, https and socks5.
[[nodiscard]] Result<std::string> check_proxy_url(std::string url);

}  // namespace reprise::runtime
