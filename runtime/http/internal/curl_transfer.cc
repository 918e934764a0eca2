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

void append(CurlList& list, const std::string& text) {
  curl_slist* longer = curl_slist_append(list.get(), text.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  (void)list.release();
  list.reset(longer);
}

RequestKind kind_of(const Request& request) {
  return {request.method, !request.body.empty() || request.method == Method::Post || request.method == Method::Put ||
                              request.method == Method::Patch};
}

}  // namespace

CurlTransfer::CurlTransfer(const std::shared_ptr<EasyHandles>& handles, const ServerConfig& server, Request request,
                           Duration left, StreamSink* sink, std::function<void(Result<Response>)> done)
    : handles_(handles),
      request_(std::move(request)),
      kind_(kind_of(request_)),
      // A stream's handle is its own: streams are few, last long and are configured otherwise.
      handle_(sink == nullptr ? handles->take(kind_) : EasyHandles().take(kind_)),
      left_over_(left),
      limit_(server.response_limit),
      stream_(sink != nullptr),
      sink_(sink),
      done_(std::move(done)) {
  if (handle_.url_prefix.empty()) {
    prepare(server);
    prepare_tls(server);
    prepare_proxy(server);
    prepare_kind(server);
  }
  configure(server);
}

CurlTransfer::~CurlTransfer() {
  const auto handles = handles_.lock();
  if (!unharmed_ || !handles) return;
  curl_easy_setopt(easy(), CURLOPT_ERRORBUFFER, nullptr);  // ours ends here
  handles->give_back(kind_, std::move(handle_));
}

void CurlTransfer::prepare(const ServerConfig& server) {
  CURL* easy = this->easy();
  const Authority authority = split_url(server.url);
  std::string host = authority.host;
  if (!server.tls_server_name.empty()) {
    host = server.tls_server_name;
    append(handle_.connect_to, "::" + authority.host + ":" + authority.port);
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, handle_.connect_to.get());
  }
  handle_.url_prefix = authority.scheme + "://" + host + ":" + authority.port + authority.path;
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
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &CurlTransfer::before_request);
}

void CurlTransfer::prepare_tls(const ServerConfig& server) {
  CURL* easy = this->easy();
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

void CurlTransfer::prepare_proxy(const ServerConfig& server) {
  CURL* easy = this->easy();
  // Set even when empty: the choice of the proxy has looked at the environment already, and libcurl would look again.
  std::string proxy = server.proxy_url;
  if (proxy.starts_with("socks5://")) proxy.insert(6, "h");
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy.c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  if (!proxy.empty() && !server.identity.ca_pem.empty()) {
    set_blob(easy, CURLOPT_PROXY_CAINFO_BLOB, server.identity.ca_pem);
  }
}

void CurlTransfer::prepare_kind(const ServerConfig& server) {
  CURL* easy = this->easy();
  // libcurl clears a buffer of this size for each request; bodies here are a few KB, and the default is 64.
  if (kind_.has_body) curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 16L << 10U);
  if (kind_.method != Method::Get) {
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, std::string(name(kind_.method)).c_str());
    curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, &CurlTransfer::on_debug);
  } else if (!stream_ && !server.disable_compression) {
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  }
}

void CurlTransfer::configure(const ServerConfig& server) {
  CURL* easy = this->easy();
  curl_easy_setopt(easy, CURLOPT_URL, (handle_.url_prefix + request_.path_and_query).c_str());
  if (!stream_) {
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, std::max(static_cast<long>(left_over_.count()), 1L));
  } else if (request_.idle_timeout > Duration{0}) {
    const auto idle = std::chrono::ceil<std::chrono::seconds>(request_.idle_timeout);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(idle.count()) + 5);
  }
  if (kind_.has_body) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request_.body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
  }
  curl_easy_setopt(easy, CURLOPT_VERBOSE, 0L);  // see listen_for_rejection()
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
  curl_easy_setopt(easy, CURLOPT_DEBUGDATA, this);
  configure_headers(server);
}

void CurlTransfer::configure_headers(const ServerConfig& server) {
  if (handle_.headers && handle_.header_values == request_.headers) return;
  CurlList headers;
  if (!server.tls_server_name.empty()) {
    const Authority authority = split_url(server.url);
    append(headers, "Host: " + authority.host + ":" + authority.port);
  }
  if (kind_.has_body) append(headers, "Expect:");
  for (const auto& [key, value] : request_.headers) append(headers, key + ": " + value);
  curl_easy_setopt(easy(), CURLOPT_HTTPHEADER, headers.get());
  handle_.headers = std::move(headers);
  handle_.header_values = request_.headers;
}

void CurlTransfer::listen_for_rejection() {
  curl_easy_setopt(easy(), CURLOPT_VERBOSE, 1L);
}

int CurlTransfer::on_socket(void*, curl_socket_t socket, curlsocktype) {
  // Without the timeout a half-open connection keeps our unanswered bytes for a quarter of an hour.
  const unsigned int milliseconds = 30'000;
  (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
  return CURL_SOCKOPT_OK;
}

int CurlTransfer::before_request(void* self, char*, char*, int, int) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  if (auto allowed = transfer.leave(); !allowed) {
    transfer.rejected_ = std::move(allowed.error());
    return CURL_PREREQFUNC_ABORT;
  }
  return CURL_PREREQFUNC_OK;
}

// libcurl sends a request again, whatever its method, when a connection that was used before dies without a word. That
// may carry out a write twice, unless the server said that it refused the stream.
Result<void> CurlTransfer::leave() {
  heard_at_ = std::chrono::steady_clock::now();
  const bool repeats = std::exchange(left_, true);
  unharmed_ = !repeats;
  const bool safe = request_.method == Method::Get || std::exchange(stream_refused_, false);
  if (repeats && !safe) return fail(ErrorClass::Unavailable, "connection lost before a response was received");
  return request_.before_send ? request_.before_send() : Result<void>();
}

// The only place where libcurl tells that the server refused a stream; without this report a write is not repeated.
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
    transfer.rejected_ = Error{ErrorClass::Terminal,
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
  unharmed_ = unharmed_ && !stream_ && code == CURLE_OK && !rejected_;
  if (rejected_) return finish(*std::move(rejected_));
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
  unharmed_ = false;
  if (StreamSink* sink = std::exchange(sink_, nullptr))
    sink->on_closed(std::move(error));
  else if (auto done = std::exchange(done_, nullptr))
    done(std::unexpected(std::move(error)));
}

}  // namespace reprise::runtime
