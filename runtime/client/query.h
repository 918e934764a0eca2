// Private to runtime/: building the query of a URL.
#pragma once

#include <string>
#include <string_view>

namespace reprise::runtime {

// Appends "name=value", escaped, with '&' where needed.
inline void add_query(std::string& query, std::string_view name, std::string_view value) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  if (!query.empty()) query += '&';
  query += name;
  query += '=';
  for (const char c : value) {
    if (plain.find(c) != std::string_view::npos) {
      query += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      query += '%';
      query += digits[byte >> 4U];
      query += digits[byte & 15U];
    }
  }
}

}  // namespace reprise::runtime
