// Certificates for tests: an authority of its own and the certificates that it signs, made in memory, valid for a day.
#pragma once

#include <memory>
#include <string>

namespace reprise::runtime::testing {

struct CertifiedKey {
  std::string certificate_pem, key_pem;
};

class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name);
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  [[nodiscard]] const std::string& certificate_pem() const;
  // `names` in OpenSSL's form: "IP:127.0.0.1,DNS:kubernetes".
  [[nodiscard]] CertifiedKey issue(const std::string& common_name,
                                   const std::string& names = "IP:127.0.0.1,DNS:localhost") const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace reprise::runtime::testing
