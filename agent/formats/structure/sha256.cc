// The functions that take any provider (EVP) bring all of the library into a static program, and read its configuration
// from the trainer's image.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "agent/formats/structure/sha256.h"

#include <openssl/sha.h>

#include <array>

namespace reprise::agent {

struct Sha256::State {
  SHA256_CTX context{};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  SHA256_Init(&state_->context);
}
Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  SHA256_Update(&state_->context, bytes.data(), bytes.size());
}

std::string Sha256::hex() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> sum{};
  SHA256_Final(sum.data(), &state_->context);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned byte : sum) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xfU];
  }
  return text;
}

}  // namespace reprise::agent
