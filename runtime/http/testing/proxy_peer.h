// A proxy in this process, for tests: CONNECT over plain TCP or over TLS, or SOCKS 5 without authentication.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/http/testing/test_pki.h"

namespace reprise::runtime::testing {

enum class ProxyKind { Http, Https, Socks5 };

// Runs one thread. Each tunnel leads to that port of this machine, whatever name is asked for.
class ProxyPeer {
 public:
  // `identity`: of an Https proxy.
  explicit ProxyPeer(ProxyKind kind = ProxyKind::Http, CertifiedKey identity = {});
  ~ProxyPeer();
  ProxyPeer(const ProxyPeer&) = delete;
  ProxyPeer& operator=(const ProxyPeer&) = delete;

  [[nodiscard]] std::string url() const;
  // "127.0.0.1:6443" for each tunnel asked for so far; a name where one was given.
  [[nodiscard]] std::vector<std::string> targets() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace reprise::runtime::testing
