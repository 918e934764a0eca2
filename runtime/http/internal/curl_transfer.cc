#include "runtime/http/internal/curl_transfer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/socket.h>

#include <new>
#include <utility>

#include "runtime/http/authority.h"
#include "runtime/http/internal/curl_error.h"
#include "runtime/http/retry_after.h"

namespace reprise::runtime {
namespace {

void set_blob(CURL* easy, CURLoption option, const std::string& pem) {
  curl_blob blob{const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_COPY};
  curl_easy_setopt(easy, option, &blob);
}

void append(std::unique_ptr<curl_slist, CurlDeleter>& list, const std::string& text) {
  curl_slist* longer = curl_slist_append(list.get(), text.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  (void)list.release();
  list.reset(longer);
}

}  // namespace

CurlTransfer::CurlTransfer(const ServerConfig& server, Request request, Duration left, StreamSink* sink,
                           std::function<void(Result<Response>)> done)
    : easy_(curl_easy_init()),
      request_(std::move(request)),
      left_over_(left),
      limit_(server.response_limit),
      stream_(sink != nullptr),
      sink_(sink),
      done_(std::move(done)) {
  if (!easy_) throw std::bad_alloc();
  configure(server);
  configure_tls(server);
  configure_proxy(server);
  configure_method();
}

void CurlTransfer::configure(const ServerConfig& server) {
  CURL* easy = easy_.get();
  const Authority authority = split_url(server.url);
  std::string host = authority.host;
  if (!server.tls_server_name.empty()) {
    host = server.tls_server_name;
    append(connect_to_, "::" + authority.host + ":" + authority.port);
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_.get());
    append(headers_, "Host: " + authority.host + ":" + authority.port);
  }
  const std::string url =
      authority.scheme + "://" + host + ":" + authority.port + authority.path + request_.path_and_query;
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https,http");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // a resolver that hangs must not hold up the loop
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 20L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 5L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPCNT, 3L);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, &CurlTransfer::on_socket);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, server.user_agent.c_str());
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(server.connect_timeout.count()));
  if (stream_) {
    if (request_.idle_timeout > Duration{0}) {
      const auto idle = std::chrono::ceil<std::chrono::seconds>(request_.idle_timeout);
      curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
      curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(idle.count()) + 5);
    }
  } else {
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, std::max(static_cast<long>(left_over_.count()), 1L));
    if (!server.disable_compression && request_.method == Method::Get) {
      curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
    }
  }
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &CurlTransfer::before_request);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
}

void CurlTransfer::configure_tls(const ServerConfig& server) {
  CURL* easy = easy_.get();
  const TlsIdentity& identity = server.identity;
  if (!identity.ca_pem.empty()) set_blob(easy, CURLOPT_CAINFO_BLOB, identity.ca_pem);
  if (!identity.client_certificate_pem.empty()) {
    set_blob(easy, CURLOPT_SSLCERT_BLOB, identity.client_certificate_pem);
    set_blob(easy, CURLOPT_SSLKEY_BLOB, identity.client_key_pem);
    curl_easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
    curl_easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
  }
  if (server.insecure_skip_verify) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

void CurlTransfer::configure_proxy(const ServerConfig& server) {
  CURL* easy = easy_.get();
  // Set even when empty: who chose has looked at the environment already, and libcurl would look again.
  std::string proxy = server.proxy_url;
  if (proxy.starts_with("socks5://")) proxy.insert(6, "h");
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy.c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  if (!proxy.empty() && !server.identity.ca_pem.empty()) {
    set_blob(easy, CURLOPT_PROXY_CAINFO_BLOB, server.identity.ca_pem);
  }
}

void CurlTransfer::configure_method() {
  CURL* easy = easy_.get();
  const bool has_body = !request_.body.empty() || request_.method == Method::Post || request_.method == Method::Put ||
                        request_.method == Method::Patch;
  if (has_body) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request_.body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    // libcurl clears a buffer of this size for each request; bodies here are a few KB, and the default is 64.
    curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 16L << 10U);
    append(headers_, "Expect:");
  }
  if (request_.method != Method::Get) {
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, std::string(name(request_.method)).c_str());
    curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, &CurlTransfer::on_debug);
    curl_easy_setopt(easy, CURLOPT_DEBUGDATA, this);
  }
  for (const auto& [key, value] : request_.headers) append(headers_, key + ": " + value);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
}

void CurlTransfer::listen_for_refusal() {
  curl_easy_setopt(easy(), CURLOPT_VERBOSE, 1L);
}

int CurlTransfer::on_socket(void*, curl_socket_t socket, curlsocktype) {
  // Without it a half-open connection keeps our unanswered bytes for a quarter of an hour.
  const unsigned int milliseconds = 30'000;
  (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
  return CURL_SOCKOPT_OK;
}

int CurlTransfer::before_request(void* self, char*, char*, int, int) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  if (auto allowed = transfer.leave(); !allowed) {
    transfer.refused_ = std::move(allowed.error());
    return CURL_PREREQFUNC_ABORT;
  }
  return CURL_PREREQFUNC_OK;
}

// libcurl sends a request again, whatever its method, when a connection that was used before dies without a word. That
// may carry out a write twice, unless the server said that it refused the stream.
Result<void> CurlTransfer::leave() {
  heard_at_ = std::chrono::steady_clock::now();
  const bool repeats = std::exchange(left_, true);
  const bool safe = request_.method == Method::Get || std::exchange(stream_refused_, false);
  if (repeats && !safe) return fail(ErrorClass::Unavailable, "connection lost before a response was received");
  return request_.before_send ? request_.before_send() : Result<void>();
}

// The only place where libcurl tells that the server refused a stream; without this word a write is not repeated.
int CurlTransfer::on_debug(CURL*, curl_infotype type, char* data, std::size_t size, void* self) {
  if (type != CURLINFO_TEXT) return 0;
  const std::string_view text(data, size);
  auto& transfer = *static_cast<CurlTransfer*>(self);
  if (text.find("REFUSED_STREAM") != text.npos || text.find("refused by server") != text.npos) {
    transfer.stream_refused_ = true;
  }
  return 0;
}

std::size_t CurlTransfer::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  const std::string_view line(data, size * count);
  transfer.heard_at_ = std::chrono::steady_clock::now();
  constexpr std::string_view retry_after = "retry-after:";
  if (line.size() > retry_after.size() && strncasecmp(line.data(), retry_after.data(), retry_after.size()) == 0) {
    transfer.response_.retry_after = parse_retry_after(line.substr(retry_after.size()));
  }
  if ((line == "\r\n" || line == "\n") && !transfer.answered_) {
    long status = 0;
    curl_easy_getinfo(transfer.easy(), CURLINFO_RESPONSE_CODE, &status);
    if (status < 200) {
      transfer.response_.retry_after.reset();
    } else {
      transfer.answered_ = true;
      transfer.response_.status = static_cast<int>(status);
      if (transfer.sink_) transfer.sink_->on_status(transfer.response_.status, transfer.response_.retry_after);
    }
  }
  return size * count;
}

std::size_t CurlTransfer::on_body(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  const std::string_view bytes(data, size * count);
  transfer.heard_at_ = std::chrono::steady_clock::now();
  if (transfer.stream_) {
    if (!transfer.sink_) return CURL_WRITEFUNC_ERROR;
    transfer.sink_->on_bytes(bytes);
    return bytes.size();
  }
  if (transfer.response_.body.size() + bytes.size() > transfer.limit_) {
    transfer.refused_ = Error{ErrorClass::Terminal,
                              "the answer to " + transfer.request_.path_and_query + " is longer than " +
                                  std::to_string(transfer.limit_) + " bytes, the limit for one answer",
                              {}};
    return CURL_WRITEFUNC_ERROR;
  }
  transfer.response_.body.append(bytes);
  return bytes.size();
}

bool CurlTransfer::silent(Instant now) const {
  if (!left_) return false;
  if (!stream_) return now - heard_at_ >= request_.timeout / 2;
  if (!answered_) return true;
  return request_.idle_timeout > Duration{0} && now - heard_at_ >= request_.idle_timeout;
}

void CurlTransfer::finish(CURLcode code) {
  if (refused_) return finish(*std::move(refused_));
  if (code != CURLE_OK) return finish(curl_error(code, error_text_, left_));
  if (stream_) {
    if (StreamSink* sink = std::exchange(sink_, nullptr)) sink->on_closed(std::nullopt);
    return;
  }
  char* content_type = nullptr;
  curl_easy_getinfo(easy(), CURLINFO_CONTENT_TYPE, &content_type);
  if (content_type != nullptr) response_.content_type = content_type;
  if (auto done = std::exchange(done_, nullptr)) done(std::move(response_));
}

void CurlTransfer::finish(Error error) {
  if (StreamSink* sink = std::exchange(sink_, nullptr))
    sink->on_closed(std::move(error));
  else if (auto done = std::exchange(done_, nullptr))
    done(std::unexpected(std::move(error)));
}

}  // namespace reprise::runtime
