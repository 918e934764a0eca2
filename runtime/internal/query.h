// Escaping of the parts of a URL.
#pragma once

#include <string>
#include <string_view>

namespace reprise::runtime {

[[nodiscard]] inline std::string percent_encoded(std::string_view value) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string encoded;
  for (const char c : value) {
    if (plain.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += digits[byte >> 4U];
      encoded += digits[byte & 15U];
    }
  }
  return encoded;
}

// Appends "name=value", escaped, with '&' where needed.
inline void add_query(std::string& query, std::string_view name, std::string_view value) {
  if (!query.empty()) query += '&';
  query += name;
  query += '=';
  query += percent_encoded(value);
}

}  // namespace reprise::runtime
