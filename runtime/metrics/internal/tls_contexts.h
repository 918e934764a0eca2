// The TLS context of a server's new connections, made anew when its certificate has changed.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/metrics/serving/serving_certificate.h"

namespace reprise::runtime::internal {

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

// TLS 1.2 and newer. Terminal: the certificate and the key are none, or do not belong together.
[[nodiscard]] Result<TlsContext> make_tls_context(const ServingCertificate& certificate);

// One thread.
class TlsContexts {
 public:
  using Read = std::function<std::optional<ServingCertificate>()>;
  TlsContexts(ServingCertificate first, TlsContext context, Read read, const Clock& clock)
      : read_(std::move(read)),
        clock_(clock),
        read_at_(clock.steady()),
        certificate_(std::move(first)),
        context_(std::move(context)) {}

  [[nodiscard]] TlsContext current();

 private:
  Read read_;
  const Clock& clock_;
  Instant read_at_;
  ServingCertificate certificate_;
  TlsContext context_;
};

}  // namespace reprise::runtime::internal
