// HTTP/2 over TLS with libcurl on the executor's thread: one connection for requests and one for watches, so that a
// burst of writes never delays what a watch has to say.
#pragma once

#include <memory>
#include <string>

#include "runtime/http/asio_executor.h"
#include "runtime/http/transport.h"

namespace reprise::runtime {

// Where the API server is and how it and we prove who we are. PEM texts, no files.
struct ServerConfig {
  std::string url;  // "https://10.0.0.1:6443", a path prefix is kept
  std::string ca_pem;
  std::string client_certificate_pem, client_key_pem;
  std::string tls_server_name;  // what the server's certificate must name; empty: the host of the URL
  bool insecure_skip_verify = false;
  std::string user_agent = "reprise";
  Duration connect_timeout{10'000};
};

// The transport ends all transfers with Cancelled when destroyed; destroy it after `executor` has stopped, or on its
// thread. A client certificate that curl cannot read is reported by the first request (Terminal).
[[nodiscard]] std::unique_ptr<Transport> make_curl_transport(AsioExecutor& executor, ServerConfig config);

}  // namespace reprise::runtime
