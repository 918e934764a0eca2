// Puts credentials on requests. A token file is read again every 60 s and after a 401; while it cannot be read, the old
// token is kept. Certificates are the transport's affair.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/base/clock.h"
#include "runtime/client/config.h"
#include "runtime/http/transport.h"

namespace reprise::runtime {

// The seam for exec plugins: where a bearer token comes from. Callable from any thread.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  // Empty: none.
  [[nodiscard]] virtual std::string token() = 0;
  // The server answered 401 to `token`: the next token() should be another, if there is one.
  virtual void refused(const std::string& token) = 0;
};

[[nodiscard]] std::unique_ptr<TokenSource> make_static_token(std::string token);
// `read` stands for the file system: the file's text, or nothing.
[[nodiscard]] std::unique_ptr<TokenSource> make_file_token(std::function<std::optional<std::string>()> read,
                                                           const Clock& clock);
[[nodiscard]] std::unique_ptr<TokenSource> make_token_source(const ClusterConfig& config, const Clock& clock);

// A transport over `inner` that adds the Authorization header and, after a 401, tries once more when the token changed.
[[nodiscard]] std::unique_ptr<Transport> with_credentials(Transport& inner, std::unique_ptr<TokenSource> tokens);

}  // namespace reprise::runtime
