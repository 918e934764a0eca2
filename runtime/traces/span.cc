#include "runtime/traces/span.h"

#include <openssl/evp.h>

#include <algorithm>

namespace reprise::runtime {
namespace {

template <class Id>
Id id_of(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  Id id{};
  std::copy_n(digest.begin(), id.size(), id.begin());
  return id;
}

template <class Id>
std::string hex_of(const Id& id) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : id) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

}  // namespace

TraceId trace_id_of(std::string_view text) {
  return id_of<TraceId>(text);
}

SpanId span_id_of(std::string_view text) {
  return id_of<SpanId>(text);
}

std::string to_hex(const TraceId& id) {
  return hex_of(id);
}

std::string to_hex(const SpanId& id) {
  return hex_of(id);
}

}  // namespace reprise::runtime
