// HTTP/2 over TLS with libcurl on the executor's thread: one connection for requests and one for watches, so that a
// burst of writes never delays a watch's events. Connections are changed from time to time, so that load spreads over
// the API servers behind one address: requests under way and open watches end on the connection they began on.
//
// Every path ends: connecting (TCP, proxy, TLS) by `connect_timeout`, a request by its own timeout, a stream by its
// idle_timeout, an idle connection that lost its peer by TCP keepalive (35 s), unacknowledged bytes by
// TCP_USER_TIMEOUT (30 s). GOAWAY, RST_STREAM and lost connections are Unavailable: watch again.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "runtime/http/asio_executor.h"
#include "runtime/http/transport.h"

namespace reprise::runtime {

// The proofs of identity of the server and of us. PEM texts, no files; empty: the system's authorities, no client
// certificate.
struct TlsIdentity {
  std::string ca_pem, client_certificate_pem, client_key_pem;
  bool operator==(const TlsIdentity&) const = default;
};

struct ServerConfig {
  std::string url;  // "https://10.0.0.1:6443", a path prefix is kept
  TlsIdentity identity;
  std::string tls_server_name;  // the name that the server's certificate must bear; empty: the host of the URL
  bool insecure_skip_verify = false;
  std::string proxy_url;             // http, https, socks5 (names are resolved by the proxy); empty: none
  bool disable_compression = false;  // else answers may come gzipped; streams never do
  std::string user_agent = "reprise";
  Duration connect_timeout{10'000};
  // Called once per connection: how long new transfers may take it. Unset: as long as it lasts.
  std::function<Duration()> connection_age = {};
  Duration ping_interval{30'000};               // HTTP/2 PING on connections that carry something
  std::size_t response_limit = 512U << 20U;     // bytes of one answer, unpacked; a longer one is Terminal
  std::size_t requests_at_once = 100;           // on one connection, as API servers allow; the last only if urgent
  std::size_t requests_waiting_limit = 10'000;  // requests beyond these wait here, so many at most
};

class CurlTransport : public Transport {
 public:
  // Transfers that begin from now on use it, on new connections. Any thread.
  virtual void use(TlsIdentity identity) = 0;
  // Ends all transfers with Cancelled and takes no more. After `executor` has stopped, or on its thread.
  virtual void shut_down() = 0;
};

// The transport ends all transfers with Cancelled when destroyed; destroy it after `executor` has stopped, or on its
// thread. A client certificate that curl cannot read is reported by the first request (Terminal).
[[nodiscard]] std::unique_ptr<CurlTransport> make_curl_transport(AsioExecutor& executor, ServerConfig config);

}  // namespace reprise::runtime
