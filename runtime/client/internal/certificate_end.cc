#include "runtime/client/internal/certificate_end.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

namespace reprise::runtime::internal {
namespace {

struct Release {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
};

}  // namespace

std::optional<WallTime> certificate_end(std::string_view pem) {
  const std::unique_ptr<BIO, Release> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const std::unique_ptr<X509, Release> certificate(text ? PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr)
                                                        : nullptr);
  std::tm end{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1) return std::nullopt;
  return std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::from_time_t(timegm(&end)));
}

}  // namespace reprise::runtime::internal
