#include "simulator/api_server/wire/wire_path.h"

#include <utility>
#include <vector>

namespace reprise::simulator {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text, bool plus_is_blank) {
  if (text.find_first_of("%+") == std::string_view::npos) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' && plus_is_blank ? ' ' : text[i];
    }
  }
  return out;
}

std::vector<std::string> segments(std::string_view path) {
  std::vector<std::string> found;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t slash = path.find('/');
    if (slash != 0 && !path.empty()) found.push_back(decoded(path.substr(0, slash), false));
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash);
  }
  return found;
}

}  // namespace

std::optional<Route> parse_route(std::string_view path_and_query) {
  const auto parts = segments(path_and_query.substr(0, path_and_query.find('?')));
  Route route;
  std::size_t at = 0;
  if (parts.size() >= 3 && parts[0] == "api") {
    route.version = parts[1];
    at = 2;
  } else if (parts.size() >= 4 && parts[0] == "apis") {
    route.group = parts[1];
    route.version = parts[2];
    at = 3;
  } else {
    return {};
  }
  // "namespaces/a" is an object of its own, "namespaces/a/pods" is a place, "namespaces/a/status" is a part.
  const bool place =
      parts[at] == "namespaces" && parts.size() > at + 2 &&
      !(route.group.empty() && parts.size() == at + 3 && (parts[at + 2] == "status" || parts[at + 2] == "finalize"));
  if (place) {
    route.namespace_ = parts[at + 1];
    at += 2;
  }
  if (parts.size() > at + 3) return {};
  route.plural = parts[at];
  if (parts.size() > at + 1) route.name = parts[at + 1];
  if (parts.size() > at + 2) route.subresource = parts[at + 2];
  return route;
}

Query parse_query(std::string_view path_and_query) {
  Query query;
  const std::size_t mark = path_and_query.find('?');
  std::string_view rest = mark == std::string_view::npos ? std::string_view{} : path_and_query.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    const std::size_t sign = pair.find('=');
    query[decoded(pair.substr(0, sign), true)] =
        sign == std::string_view::npos ? std::string{} : decoded(pair.substr(sign + 1), true);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return query;
}

std::string_view value_of(const Query& query, std::string_view name) {
  const auto found = query.find(name);
  return found == query.end() ? std::string_view{} : std::string_view(found->second);
}

bool is_set(const Query& query, std::string_view name) {
  const std::string_view value = value_of(query, name);
  return value == "true" || value == "1";
}

}  // namespace reprise::simulator
