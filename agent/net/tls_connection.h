// One connection by TLS 1.2 to a server that shows one certificate, or one of its authority, with one name. Each call
// ends at a deadline; an error is a text for people.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "agent/net/address.h"
#include "agent/net/reading.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// State that connections to one server share: the authority to trust, and the session that the next one goes on with.
class TlsClient {
 public:
  // `authority`: PEM; nobody else is trusted than it and whom it has certified. An error names what is wrong with it.
  [[nodiscard]] static std::expected<std::unique_ptr<TlsClient>, std::string> create(const std::string& authority,
                                                                                     const std::string& server_name);
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;
  ~TlsClient();

  // Sends `request` and returns what comes back until the connection or `reading` ends.
  [[nodiscard]] std::expected<std::string, std::string> ask(const Address& server, std::string_view request,
                                                            runtime::Instant deadline,
                                                            const Reading& reading = kHeadAlone);

 private:
  struct Own;
  explicit TlsClient(std::unique_ptr<Own> own);
  std::unique_ptr<Own> own_;
};

}  // namespace reprise::agent
