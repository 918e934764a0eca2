// Notices that the files with the authorities, the client certificate or its key have changed, and has new connections
// use them. They are looked at when a request is made: 60 s after the last look, and after a 401 or a missing answer (a
// server with a new certificate gives none), then at most once a second. A certificate and a key that do not belong
// together, or a file that cannot be read, leave things as they were: a rotation may be caught half done.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/client/credentials/credentials.h"
#include "runtime/http/curl_transport.h"

namespace reprise::runtime {

// Paths; empty: not from a file, and never changes.
struct TlsFiles {
  std::string ca, certificate, key;
  [[nodiscard]] bool any() const { return !ca.empty() || !certificate.empty() || !key.empty(); }
};

// Reads the files; an identity part without a file is taken from `first`. Empty: not readable, or not sound.
[[nodiscard]] std::optional<TlsIdentity> read_identity(const TlsFiles& files, const TlsIdentity& first);

// `inner` gives the tokens. `read` runs on the thread that makes the request: it must be quick, as mounted files are.
[[nodiscard]] std::unique_ptr<CredentialSource> with_tls_rotation(std::unique_ptr<CredentialSource> inner,
                                                                  std::function<std::optional<TlsIdentity>()> read,
                                                                  TlsIdentity first,
                                                                  std::function<void(const TlsIdentity&)> use,
                                                                  const Clock& clock);

}  // namespace reprise::runtime
