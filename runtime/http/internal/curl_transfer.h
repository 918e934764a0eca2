// One request under way in libcurl, from easy handle to answer.
#pragma once

#include <curl/curl.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/http/curl_transport.h"
#include "runtime/http/internal/easy_handles.h"
#include "runtime/http/transport.h"

namespace reprise::runtime {

// One thread: the executor's. A stream has a sink, a plain request has `done`.
class CurlTransfer {
 public:
  // `handles`: of this server and identity. `left`: how long a plain request may take; its own timeout, or less when it
  // had to wait.
  CurlTransfer(const std::shared_ptr<EasyHandles>& handles, const ServerConfig& server, Request request, Duration left,
               StreamSink* sink, std::function<void(Result<Response>)> done);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  [[nodiscard]] CURL* easy() const { return handle_.easy.get(); }
  // The server had this request and nothing came back for so long that the connection itself is in doubt: a watch's
  // time for silence, half of a request's time. A watch without any answer is in doubt as soon as its owner gives it
  // up.
  [[nodiscard]] bool silent(Instant now) const;
  [[nodiscard]] bool writes() const { return request_.method != Method::Get; }
  // Handed to a connection: the server may have seen it.
  [[nodiscard]] bool left() const { return left_; }
  // From now on the refusal of a write's stream is noticed. libcurl then words whatever it does, which costs more than
  // sending the request.
  void listen_for_rejection();
  // The sink is gone: what still arrives is dropped.
  void detach() { sink_ = nullptr; }
  // Tells how it ended. libcurl must have let go of the handle.
  void finish(CURLcode code);
  void finish(Error error);

 private:
  void prepare(const ServerConfig& server);
  void prepare_tls(const ServerConfig& server);
  void prepare_proxy(const ServerConfig& server);
  void prepare_kind(const ServerConfig& server);
  void configure(const ServerConfig& server);
  void configure_headers(const ServerConfig& server);
  Result<void> leave();

  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  static int before_request(void* self, char*, char*, int, int);
  static int on_socket(void*, curl_socket_t socket, curlsocktype);
  static int on_debug(CURL*, curl_infotype type, char* data, std::size_t size, void* self);

  std::weak_ptr<EasyHandles> handles_;
  Request request_;
  RequestKind kind_;
  EasyHandle handle_;
  Duration left_over_;
  std::size_t limit_;
  bool stream_;
  StreamSink* sink_;
  std::function<void(Result<Response>)> done_;
  Response response_;
  std::optional<Error> rejected_;  // by us, while libcurl was at it
  bool left_ = false;
  bool unharmed_ = false;        // sent once and answered whole: the handle may serve another request
  bool stream_refused_ = false;  // by the server, which therefore did nothing with it
  bool answered_ = false;        // a final status has come
  Instant heard_at_{};           // the last byte of the answer, or when the request left
  char error_text_[CURL_ERROR_SIZE] = {};
};

}  // namespace reprise::runtime
