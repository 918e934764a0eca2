#include "runtime/http/testing/test_pki.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <stdexcept>

namespace reprise::runtime::testing {
namespace {

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

void extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  if (!extension || X509_add_ext(certificate, extension.get(), -1) != 1) throw std::runtime_error("extension " + value);
}

Owned<X509> certificate_for(EVP_PKEY* key, const std::string& name) {
  static std::atomic<long> serial{1};
  Owned<X509> certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 86400);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

std::string pem_of(X509* certificate) {
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return text_of(bio.get());
}

}  // namespace

struct TestAuthority::Parts {
  Owned<EVP_PKEY> key;
  Owned<X509> certificate;
  std::string pem;
};

TestAuthority::TestAuthority(const std::string& name) : parts_(std::make_unique<Parts>()) {
  parts_->key.reset(EVP_EC_gen("P-256"));
  parts_->certificate = certificate_for(parts_->key.get(), name);
  X509* self = parts_->certificate.get();
  X509_set_issuer_name(self, X509_get_subject_name(self));
  extend(self, self, NID_basic_constraints, "critical,CA:TRUE");
  extend(self, self, NID_subject_key_identifier, "hash");
  X509_sign(self, parts_->key.get(), EVP_sha256());
  parts_->pem = pem_of(self);
}

TestAuthority::~TestAuthority() = default;

const std::string& TestAuthority::certificate_pem() const {
  return parts_->pem;
}

CertifiedKey TestAuthority::issue(const std::string& common_name, const std::string& names) const {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const auto certificate = certificate_for(key.get(), common_name);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(parts_->certificate.get()));
  extend(certificate.get(), parts_->certificate.get(), NID_subject_alt_name, names);
  X509_sign(certificate.get(), parts_->key.get(), EVP_sha256());
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return {pem_of(certificate.get()), text_of(bio.get())};
}

}  // namespace reprise::runtime::testing
