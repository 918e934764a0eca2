// The parts of a server's address.
#pragma once

#include <string>

namespace reprise::runtime {

struct Authority {
  std::string scheme, host, port, path;  // host in brackets when it is an IPv6 address; path without a slash at its end
};

// "https://10.0.0.1:6443/prefix". Without a scheme it is https; without a port, the scheme's.
[[nodiscard]] Authority split_url(const std::string& url);

}  // namespace reprise::runtime
