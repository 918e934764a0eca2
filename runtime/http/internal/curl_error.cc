#include "runtime/http/internal/curl_error.h"

#include <string>

namespace reprise::runtime {
namespace {

ErrorClass class_of(CURLcode code) {
  switch (static_cast<int>(code)) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_NOT_BUILT_IN:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
      return ErrorClass::Terminal;
    default:
      return ErrorClass::Unavailable;
  }
}

}  // namespace

Error curl_error(CURLcode code, std::string_view detail, bool left) {
  Error error{class_of(code), std::string(detail.empty() ? curl_easy_strerror(code) : detail), {}};
  error.not_sent = !left;
  return error;
}

}  // namespace reprise::runtime
