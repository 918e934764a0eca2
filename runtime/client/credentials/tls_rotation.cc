#include "runtime/client/credentials/tls_rotation.h"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <mutex>
#include <utility>

#include "runtime/base/files/file_text.h"

namespace reprise::runtime {
namespace {

constexpr Duration reread_after{60'000}, reread_at_most{1'000};

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

std::unique_ptr<BIO, Free> reader(const std::string& pem) {
  return std::unique_ptr<BIO, Free>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

bool sound(const TlsIdentity& identity) {
  if (!identity.ca_pem.empty()) {
    const std::unique_ptr<X509, Free> ca(PEM_read_bio_X509(reader(identity.ca_pem).get(), nullptr, nullptr, nullptr));
    if (!ca) return false;
  }
  if (identity.client_certificate_pem.empty()) return true;
  const std::unique_ptr<X509, Free> certificate(
      PEM_read_bio_X509(reader(identity.client_certificate_pem).get(), nullptr, nullptr, nullptr));
  const std::unique_ptr<EVP_PKEY, Free> key(
      PEM_read_bio_PrivateKey(reader(identity.client_key_pem).get(), nullptr, nullptr, nullptr));
  return certificate && key && X509_check_private_key(certificate.get(), key.get()) == 1;
}

bool read_into(std::string& text, const std::string& path) {
  if (path.empty()) return true;
  text = file_text(path).value_or("");
  return !text.empty();
}

class RotatingSource final : public CredentialSource {
 public:
  RotatingSource(std::unique_ptr<CredentialSource> inner, std::function<std::optional<TlsIdentity>()> read,
                 TlsIdentity first, std::function<void(const TlsIdentity&)> use, const Clock& clock)
      : inner_(std::move(inner)),
        read_(std::move(read)),
        use_(std::move(use)),
        clock_(clock),
        read_at_(clock.steady()),
        identity_(std::move(first)) {}

  void get(Done done) override {
    const std::uint64_t version = look(reread_after);
    inner_->get([version, done = std::move(done)](Result<Credential> credential) {
      if (credential) credential->files = version;
      done(std::move(credential));
    });
  }

  void rejected(const Credential& credential) override {
    look(reread_at_most);
    inner_->rejected(credential);
  }

  void unanswered() override {
    look(reread_at_most);
    inner_->unanswered();
  }

 private:
  std::uint64_t look(Duration after) {
    const std::lock_guard lock(mutex_);
    if (clock_.steady() - read_at_ < after) return version_;
    read_at_ = clock_.steady();
    auto now = read_();
    if (!now || *now == identity_) return version_;
    identity_ = *std::move(now);
    use_(identity_);
    return ++version_;
  }

  std::unique_ptr<CredentialSource> inner_;
  std::function<std::optional<TlsIdentity>()> read_;
  std::function<void(const TlsIdentity&)> use_;
  const Clock& clock_;
  std::mutex mutex_;  // all below
  Instant read_at_;
  TlsIdentity identity_;
  std::uint64_t version_ = 0;
};

}  // namespace

std::optional<TlsIdentity> read_identity(const TlsFiles& files, const TlsIdentity& first) {
  TlsIdentity identity = first;
  if (!read_into(identity.ca_pem, files.ca) || !read_into(identity.client_certificate_pem, files.certificate) ||
      !read_into(identity.client_key_pem, files.key) || !sound(identity)) {
    return std::nullopt;
  }
  return identity;
}

std::unique_ptr<CredentialSource> with_tls_rotation(std::unique_ptr<CredentialSource> inner,
                                                    std::function<std::optional<TlsIdentity>()> read, TlsIdentity first,
                                                    std::function<void(const TlsIdentity&)> use, const Clock& clock) {
  return std::make_unique<RotatingSource>(std::move(inner), std::move(read), std::move(first), std::move(use), clock);
}

}  // namespace reprise::runtime
