// The certificate with which a server of ours speaks TLS, and its key: from files, or made at start.
#pragma once

#include <optional>
#include <string>

#include "runtime/base/error.h"

namespace reprise::runtime {

// PEM texts; the certificate may be followed by those that lead to its authority.
struct ServingCertificate {
  std::string certificate_pem, key_pem;
  bool operator==(const ServingCertificate&) const = default;
};

// tls.crt and tls.key in a folder, as a Secret of type kubernetes.io/tls is mounted. Empty: not readable.
[[nodiscard]] std::optional<ServingCertificate> read_serving_certificate(const std::string& folder);

// Signed by itself, for "localhost", valid for a year, as controller-runtime makes one where no files are given: it
// hides the traffic from listeners, and proves nobody's name. Unavailable: no key could be made.
[[nodiscard]] Result<ServingCertificate> make_self_signed_certificate();
// The same for `name`, a DNS name, and so many days from now: for clients that are given it and trust it alone.
[[nodiscard]] Result<ServingCertificate> make_self_signed_certificate(const std::string& name, int days);
// True when certificate and key belong together, and the certificate names `name` and is still valid for `days`.
[[nodiscard]] bool is_usable(const ServingCertificate& certificate, const std::string& name, int days);

}  // namespace reprise::runtime
