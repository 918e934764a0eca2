// An HTTP/2 server over TLS in this process, for tests: it keeps to the protocol, or breaks it as it is told.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "runtime/http/testing/test_pki.h"

namespace reprise::runtime::testing {

struct H2Request {
  std::string method, path, body;
  std::map<std::string, std::string> headers;
  std::string client_name;  // the common name in the client's certificate, if it gave one
  int connection = 0;       // counted from 1
  int nth = 0;              // request on this connection, counted from 1
};

enum class H2Act {
  Reply,         // headers, body, end
  Hold,          // headers, body, no end
  Silence,       // no answer at all
  Refuse,        // RST_STREAM, REFUSED_STREAM: certainly not carried out
  Reset,         // RST_STREAM, INTERNAL_ERROR
  GoAwayRefuse,  // GOAWAY that leaves this stream out: certainly not carried out
  Drop,          // the connection is closed
};

struct H2Answer {
  H2Act act = H2Act::Reply;
  int status = 200;
  std::string body = {};
  std::map<std::string, std::string> headers = {};
  bool hints_first = false;  // a 103 before it
};

struct H2Options {
  CertifiedKey identity;
  std::string client_ca_pem = {};  // empty: clients are not asked for a certificate
  std::uint32_t max_streams = 100;
};

// `answer` is called on a thread per connection. Destroying the peer closes all connections.
class H2Peer {
 public:
  using Answerer = std::function<H2Answer(const H2Request&)>;
  H2Peer(H2Options options, Answerer answer);
  ~H2Peer();
  H2Peer(const H2Peer&) = delete;
  H2Peer& operator=(const H2Peer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::string url() const { return "https://127.0.0.1:" + std::to_string(port()); }
  // From now on clients meet this certificate.
  void use(CertifiedKey identity);
  // A bare GOAWAY on all connections, which are closed then: a server that exits.
  void go_away();
  // Closes all connections without a word.
  void cut();
  [[nodiscard]] int connections() const;  // ever accepted with TLS
  [[nodiscard]] int pings() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace reprise::runtime::testing
