// One connection of a server: a request, its answer, the next one.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runtime/metrics/internal/site.h"
#include "runtime/metrics/internal/tls_contexts.h"

namespace reprise::runtime::internal {

using PlainStream = boost::beast::tcp_stream;
using TlsStream = boost::beast::ssl_stream<boost::beast::tcp_stream>;

// The way back to a server's thread, for callers that may outlive the server. Any thread.
class Mailbox {
 public:
  explicit Mailbox(boost::asio::io_context& context) : context_(&context) {}
  // Drops the work once the mailbox is closed.
  void post(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    if (context_ != nullptr) boost::asio::post(*context_, std::move(work));
  }
  void close() {
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
  }

 private:
  std::mutex mutex_;
  boost::asio::io_context* context_;
};

// Counts the open connections of a server, each of which holds one share. Any thread.
class Connections {
 public:
  // Null where there are `most` already.
  [[nodiscard]] std::shared_ptr<void> take(std::size_t most) {
    if (static_cast<std::size_t>(all_.use_count()) > most) return nullptr;
    return all_;
  }

 private:
  std::shared_ptr<int> all_ = std::make_shared<int>(0);
};

// Runs on the server's thread; keeps itself alive while it waits. `site` outlives it.
template <class Stream>
class HttpSession : public std::enable_shared_from_this<HttpSession<Stream>> {
 public:
  HttpSession(boost::asio::ip::tcp::socket socket, const Site& site, std::shared_ptr<Mailbox> mailbox,
              std::shared_ptr<void> connection)
      : stream_(std::move(socket)),
        site_(site),
        mailbox_(std::move(mailbox)),
        connection_(std::move(connection)),
        review_end_(stream_.get_executor()) {}
  HttpSession(boost::asio::ip::tcp::socket socket, const Site& site, std::shared_ptr<Mailbox> mailbox,
              std::shared_ptr<void> connection, TlsContext tls)
      : tls_(std::move(tls)),
        stream_(std::move(socket), *tls_),
        site_(site),
        mailbox_(std::move(mailbox)),
        connection_(std::move(connection)),
        review_end_(stream_.get_executor()) {}

  void start() {
    if constexpr (is_tls) {
      ends_within(site_.handshake_limit);
      stream_.async_handshake(boost::asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](boost::beast::error_code error) {
                                if (!error) self->read();
                              });
    } else {
      read();
    }
  }

 private:
  static constexpr bool is_tls = std::is_same_v<Stream, TlsStream>;
  static constexpr std::chrono::milliseconds io_limit{30'000};

  void ends_within(std::chrono::milliseconds limit) { boost::beast::get_lowest_layer(stream_).expires_after(limit); }

  void read() {
    parser_.emplace();
    parser_->body_limit(site_.body_limit);
    ends_within(io_limit);
    boost::beast::http::async_read(stream_, buffer_, *parser_,
                                   [self = this->shared_from_this()](boost::beast::error_code error, std::size_t) {
                                     if (!error) self->authorize();
                                   });
  }

  // Goes on with `then` on the server's thread when the answer is there, or with `when_late`: only the first counts,
  // and only for the request that it is about.
  template <class T>
  std::function<void(T)> later(void (HttpSession::*then)(T), T when_late) {
    const std::uint64_t request = ++asked_;
    undecided_ = true;
    review_end_.expires_after(site_.review_limit);
    review_end_.async_wait(
        [self = this->shared_from_this(), request, then, when_late](boost::beast::error_code) mutable {
          self->decided(request, then, std::move(when_late));
        });
    return [mailbox = mailbox_, weak = this->weak_from_this(), request, then](T answer) {
      mailbox->post([weak, request, then, answer = std::move(answer)]() mutable {
        if (const auto self = weak.lock()) self->decided(request, then, std::move(answer));
      });
    };
  }

  template <class T>
  void decided(std::uint64_t request, void (HttpSession::*then)(T), T answer) {
    if (request != asked_ || !std::exchange(undecided_, false)) return;
    review_end_.cancel();
    (this->*then)(std::move(answer));
  }

  void authorize() {
    const auto field = parser_->get()[boost::beast::http::field::authorization];
    const std::string_view authorization(field.data(), field.size());
    if (site_.guard != nullptr)
      return site_.guard->ask(authorization, later(&HttpSession::with_access, Access::Failed));
    if (const HttpRoute* taken = posted(site_, parser_->get())) {
      auto late = plain(503, "there was no answer in time\n");
      return taken->post({std::string(authorization), std::move(parser_->get().body())},
                         later(&HttpSession::write, std::move(late)));
    }
    write(route(site_, parser_->get()));
  }

  void with_access(Access access) { write(guarded(site_, parser_->get(), access)); }

  void write(HttpAnswer answer) {
    response_ = respond(parser_->get(), std::move(answer));
    ends_within(io_limit);
    boost::beast::http::async_write(stream_, response_,
                                    [self = this->shared_from_this()](boost::beast::error_code error, std::size_t) {
                                      if (error) return;
                                      if (self->response_.keep_alive()) return self->read();
                                      self->finish();
                                    });
  }

  void finish() {
    if constexpr (is_tls) {
      ends_within(site_.handshake_limit);
      stream_.async_shutdown([self = this->shared_from_this()](boost::beast::error_code) {});
    } else {
      boost::beast::error_code ignored;
      stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    }
  }

  TlsContext tls_;
  Stream stream_;
  const Site& site_;
  std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<void> connection_;
  boost::asio::steady_timer review_end_;
  std::uint64_t asked_ = 0;
  bool undecided_ = false;
  boost::beast::flat_buffer buffer_{64U << 10U};
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  HttpResponse response_;
};

}  // namespace reprise::runtime::internal
