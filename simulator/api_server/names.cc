#include "simulator/api_server/names.h"

#include <algorithm>

namespace reprise::simulator {
namespace {

constexpr std::size_t max_subdomain = 253, max_label = 63;

bool is_lower(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_alphanumeric(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}

bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower(text.front()) && is_lower(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_name_part(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

std::string too_long(std::size_t limit) {
  return "must be no more than " + std::to_string(limit) + " characters";
}

constexpr std::string_view subdomain_words =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

}  // namespace

std::string wrong_subdomain(std::string_view name) {
  if (name.size() > max_subdomain) return too_long(max_subdomain);
  return is_subdomain(name) ? std::string{} : std::string(subdomain_words);
}

std::string wrong_dns_label(std::string_view name) {
  if (name.size() > max_label) return too_long(max_label);
  if (is_dns_label(name)) return {};
  return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
         "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
         "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}

std::string wrong_service_name(std::string_view name) {
  if (name.size() > max_label) return too_long(max_label);
  if (is_dns_label(name) && (name.front() < '0' || name.front() > '9')) return {};
  return "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
         "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation "
         "is '[a-z]([-a-z0-9]*[a-z0-9])?')";
}

std::string wrong_qualified_name(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string_view prefix = slash == std::string_view::npos ? std::string_view{} : name.substr(0, slash);
  const std::string_view rest = slash == std::string_view::npos ? name : name.substr(slash + 1);
  if (slash != std::string_view::npos && prefix.empty()) return "prefix part must be non-empty";
  if (!prefix.empty() && !wrong_subdomain(prefix).empty()) return "prefix part " + wrong_subdomain(prefix);
  if (rest.empty()) return "name part must be non-empty";
  if (rest.size() > max_label) return "name part " + too_long(max_label);
  if (is_name_part(rest)) return {};
  return "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
         "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
         "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
}

std::string wrong_label_value(std::string_view value) {
  if (value.size() > max_label) return too_long(max_label);
  if (value.empty() || is_name_part(value)) return {};
  return "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
         "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
         "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
}

}  // namespace reprise::simulator
