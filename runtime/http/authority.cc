#include "runtime/http/authority.h"

namespace reprise::runtime {

Authority split_url(const std::string& url) {
  Authority parts;
  const std::size_t scheme_end = url.find("://");
  const std::size_t begin = scheme_end == std::string::npos ? 0 : scheme_end + 3;
  parts.scheme = scheme_end == std::string::npos ? "https" : url.substr(0, scheme_end);
  const std::size_t slash = url.find('/', begin);
  std::string authority = url.substr(begin, slash == std::string::npos ? slash : slash - begin);
  parts.path = slash == std::string::npos ? "" : url.substr(slash);
  while (parts.path.ends_with('/')) parts.path.pop_back();
  const std::size_t colon = authority.rfind(':');
  const std::size_t bracket = authority.rfind(']');
  if (colon != std::string::npos && (bracket == std::string::npos || colon > bracket)) {
    parts.port = authority.substr(colon + 1);
    authority.resize(colon);
  }
  parts.host = authority;
  if (parts.port.empty()) parts.port = parts.scheme == "http" ? "80" : "443";
  return parts;
}

}  // namespace reprise::runtime
