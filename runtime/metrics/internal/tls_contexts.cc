#include "runtime/metrics/internal/tls_contexts.h"

#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <string>

namespace reprise::runtime::internal {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;

constexpr Duration reread_after{10'000};  // see HttpsOptions::read

}  // namespace

Result<TlsContext> make_tls_context(const ServingCertificate& certificate) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  boost::system::error_code error;
  // A key with a password is none that we can use; OpenSSL's own way is to ask for it at the terminal.
  context->set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); }, error);
  if (!error) context->use_certificate_chain(asio::buffer(certificate.certificate_pem), error);
  if (!error) context->use_private_key(asio::buffer(certificate.key_pem), ssl::context::pem, error);
  if (error) return fail(ErrorClass::Terminal, "the metrics' certificate and key cannot be used: " + error.message());
  SSL_CTX* native = context->native_handle();
  if (SSL_CTX_check_private_key(native) != 1 || SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION) != 1) {
    return fail(ErrorClass::Terminal, "the metrics' certificate and key do not belong together");
  }
  return context;
}

TlsContext TlsContexts::current() {
  if (clock_.steady() - read_at_ < reread_after) return context_;
  read_at_ = clock_.steady();
  auto now = read_();
  if (!now || *now == certificate_) return context_;
  auto made = make_tls_context(*now);
  if (!made) return context_;
  certificate_ = *std::move(now);
  return context_ = *std::move(made);
}

}  // namespace reprise::runtime::internal
