// Easy handles of libcurl that wait for the next request of their kind. Making one and setting the options that are the
// same for every request of a server costs a quarter of sending the request.
#pragma once

#include <curl/curl.h>

#include <compare>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/http/transport.h"

namespace reprise::runtime {

struct CurlDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, CurlDeleter>;

// The properties of a request that decide about options which libcurl keeps.
struct RequestKind {
  Method method = Method::Get;
  bool has_body = false;
  auto operator<=>(const RequestKind&) const = default;
};

// A handle and its dependents. Unprepared until `url_prefix` is set.
struct EasyHandle {
  std::unique_ptr<CURL, CurlDeleter> easy;
  std::string url_prefix;  // "https://10.0.0.1:6443"
  CurlList connect_to, headers;
  std::vector<std::pair<std::string, std::string>> header_values;  // headers of the request that `headers` was made for
};

// One thread: the executor's. For one server with one identity.
class EasyHandles {
 public:
  // One that was given back for this kind, or a new, unprepared one.
  [[nodiscard]] EasyHandle take(RequestKind kind);
  // Only after an answer came whole, and not inside a callback of libcurl: a failed transfer may have left something
  // behind. `handle` is a member of no multi.
  void give_back(RequestKind kind, EasyHandle handle);

 private:
  std::map<RequestKind, std::vector<EasyHandle>> idle_;
};

}  // namespace reprise::runtime
