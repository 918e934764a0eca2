#include "runtime/metrics/serving/serving_certificate.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <iterator>
#include <memory>
#include <utility>

#include "runtime/base/files/file_text.h"

namespace reprise::runtime {
namespace {

constexpr long an_hour = 3600;
constexpr int a_year = 365;  // days

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

std::optional<std::string> text_of(const std::string& path) {
  auto text = file_text(path);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

bool name_it(X509* certificate, const std::string& name, const std::string& alternatives) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
  if (X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, text, -1, -1, 0) != 1) return false;
  const Owned<X509_EXTENSION> names(X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, alternatives.c_str()));
  return names && X509_add_ext(certificate, names.get(), -1) == 1 && X509_set_issuer_name(certificate, subject) == 1;
}

Owned<X509> certify(EVP_PKEY* key, const std::string& name, const std::string& alternatives, int days) {
  Owned<X509> certificate(X509_new());
  std::uint32_t serial = 0;
  const bool made = certificate && RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1 &&
                    X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
                    ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), std::uint64_t{serial} + 1) == 1 &&
                    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -an_hour) != nullptr &&
                    X509_time_adj_ex(X509_getm_notAfter(certificate.get()), days, 0, nullptr) != nullptr &&
                    X509_set_pubkey(certificate.get(), key) == 1 && name_it(certificate.get(), name, alternatives) &&
                    X509_sign(certificate.get(), key, EVP_sha256()) != 0;
  return made ? std::move(certificate) : nullptr;
}

Result<ServingCertificate> make(const std::string& name, const std::string& alternatives, int days) {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Owned<X509> certificate = key ? certify(key.get(), name, alternatives, days) : nullptr;
  const Owned<BIO> certificate_pem(BIO_new(BIO_s_mem())), key_pem(BIO_new(BIO_s_mem()));
  if (!certificate || !certificate_pem || !key_pem ||
      PEM_write_bio_X509(certificate_pem.get(), certificate.get()) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return fail(ErrorClass::Unavailable, "cannot make a certificate for " + name);
  }
  return ServingCertificate{text_of(certificate_pem.get()), text_of(key_pem.get())};
}

}  // namespace

std::optional<ServingCertificate> read_serving_certificate(const std::string& folder) {
  auto certificate = text_of(folder + "/tls.crt"), key = text_of(folder + "/tls.key");
  if (!certificate || !key) return std::nullopt;
  return ServingCertificate{*std::move(certificate), *std::move(key)};
}

Result<ServingCertificate> make_self_signed_certificate() {
  return make("localhost", "DNS:localhost,IP:127.0.0.1", a_year);
}

Result<ServingCertificate> make_self_signed_certificate(const std::string& name, int days) {
  return make(name, "DNS:" + name, days);
}

bool is_usable(const ServingCertificate& certificate, const std::string& name, int days) {
  const auto reader = [](const std::string& pem) {
    return Owned<BIO>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  };
  const Owned<BIO> certificate_pem = reader(certificate.certificate_pem), key_pem = reader(certificate.key_pem);
  if (!certificate_pem || !key_pem) return false;
  const Owned<X509> read(PEM_read_bio_X509(certificate_pem.get(), nullptr, nullptr, nullptr));
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(key_pem.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (!read || !key || X509_check_private_key(read.get(), key.get()) != 1) return false;
  if (X509_check_host(read.get(), name.data(), name.size(), 0, nullptr) != 1) return false;
  std::time_t until = std::time(nullptr) + std::time_t{days} * 24 * an_hour;
  return X509_cmp_time(X509_get0_notAfter(read.get()), &until) > 0;
}

}  // namespace reprise::runtime
