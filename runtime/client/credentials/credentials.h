// Credentials that prove who we are, and the transport that puts them on requests. A request never waits for one on the
// executor's thread: a source that has to work for a credential (see exec_credential.h) calls back later.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/executor.h"
#include "runtime/http/transport.h"

namespace reprise::runtime {

// Two are equal when the server would judge them alike. Certificates go to the transport (CurlTransport::use); here
// they are but numbers that change with them.
struct Credential {
  std::string bearer;  // empty: none
  std::uint64_t certificate = 0, files = 0;
  bool operator==(const Credential&) const = default;
};

// Callable from any thread.
class CredentialSource {
 public:
  using Done = std::function<void(Result<Credential>)>;
  virtual ~CredentialSource() = default;
  // Calls `done` once: now when one is at hand, else later on the executor's thread. Unauthorized: none can be had, and
  // the message says whose fault that is.
  virtual void get(Done done) = 0;
  // The server answered 401 to `credential`: the next get() should give another, if there is one.
  virtual void rejected(const Credential& credential) = 0;
  // No answer came: perhaps the server has another certificate now.
  virtual void unanswered() {}
};

[[nodiscard]] std::unique_ptr<CredentialSource> make_static_token(std::string token);
// Read again every 60 s and after a 401; while it cannot be read, the old token is kept. `read` stands for the file
// system: the file's text, or nothing.
[[nodiscard]] std::unique_ptr<CredentialSource> make_file_token(std::function<std::optional<std::string>()> read,
                                                                const Clock& clock);

using Headers = std::vector<std::pair<std::string, std::string>>;

// A transport over `inner` that adds `more` headers and the Authorization header, and after a 401 asks once more when
// there is another credential by then. Waiting for one counts against the request's timeout.
[[nodiscard]] std::unique_ptr<Transport> with_credentials(Transport& inner, std::unique_ptr<CredentialSource> source,
                                                          Executor& executor, const Clock& clock, Headers more = {});

}  // namespace reprise::runtime
