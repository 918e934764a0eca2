#include "runtime/http/testing/h2_peer.h"

#include <arpa/inet.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace reprise::runtime::testing {
namespace {

template <auto function>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    function(object);
  }
};
using Ssl = std::unique_ptr<SSL, Deleter<SSL_free>>;
using Context = std::unique_ptr<SSL_CTX, Deleter<SSL_CTX_free>>;
using Session = std::unique_ptr<nghttp2_session, Deleter<nghttp2_session_del>>;
using Callbacks = std::unique_ptr<nghttp2_session_callbacks, Deleter<nghttp2_session_callbacks_del>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;

Certificate read_certificate(const std::string& pem) {
  const std::unique_ptr<BIO, Deleter<BIO_free>> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

Key read_key(const std::string& pem) {
  const std::unique_ptr<BIO, Deleter<BIO_free>> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
}

int choose_h2(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* in, unsigned int length,
              void*) {
  return nghttp2_select_next_protocol(const_cast<unsigned char**>(out), size, in, length) == 1
             ? SSL_TLSEXT_ERR_OK
             : SSL_TLSEXT_ERR_ALERT_FATAL;
}

Context context_of(const H2Options& options) {
  Context context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_use_certificate(context.get(), read_certificate(options.identity.certificate_pem).get());
  SSL_CTX_use_PrivateKey(context.get(), read_key(options.identity.key_pem).get());
  SSL_CTX_set_alpn_select_cb(context.get(), choose_h2, nullptr);
  if (!options.client_ca_pem.empty()) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), read_certificate(options.client_ca_pem).get());
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  }
  return context;
}

enum class Order { None, GoAway, Cut };

struct StreamState {
  H2Request request;
  H2Answer answer;
  std::size_t sent = 0;
};

// One client. Runs on a thread of its own until either side has enough.
class Connection {
 public:
  Connection(int number, int fd, const H2Options& options, const H2Peer::Answerer& answer, std::atomic<int>& pings)
      : number_(number),
        fd_(fd),
        order_fd_(eventfd(0, EFD_CLOEXEC)),
        max_streams_(options.max_streams),
        answer_(answer),
        pings_(pings) {}
  ~Connection() {
    close(fd_);
    close(order_fd_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void command(Order order) {
    order_ = order;
    (void)eventfd_write(order_fd_, 1);
  }

  void serve(SSL_CTX* context, std::atomic<int>& accepted) {
    const Ssl ssl(SSL_new(context));
    ssl_ = ssl.get();
    SSL_set_fd(ssl_, fd_);
    const timeval timeout{.tv_sec = 20, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    if (SSL_accept(ssl_) != 1) return;
    ++accepted;
    const Certificate client(SSL_get1_peer_certificate(ssl_));
    if (client) {
      char name[256] = {};
      X509_NAME_get_text_by_NID(X509_get_subject_name(client.get()), NID_commonName, name, sizeof name);
      client_name_ = name;
    }
    begin_session();
    while (flush() && !dropped_ && wait() && read()) {
    }
    shutdown(fd_, SHUT_RDWR);
  }

 private:
  void begin_session() {
    nghttp2_session_callbacks* raw = nullptr;
    nghttp2_session_callbacks_new(&raw);
    const Callbacks callbacks(raw);
    nghttp2_session_callbacks_set_on_header_callback(raw, on_header);
    nghttp2_session_callbacks_set_on_begin_headers_callback(raw, on_begin_headers);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(raw, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(raw, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(raw, on_close);
    nghttp2_session* session = nullptr;
    nghttp2_session_server_new(&session, raw, this);
    session_.reset(session);
    const nghttp2_settings_entry limit{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, max_streams_};
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &limit, 1);
  }

  bool flush() {
    for (;;) {
      const std::uint8_t* data = nullptr;
      const auto size = nghttp2_session_mem_send(session_.get(), &data);
      if (size < 0) return false;
      if (size == 0) return true;
      if (SSL_write(ssl_, data, static_cast<int>(size)) <= 0) return false;
    }
  }

  bool wait() {
    if (SSL_pending(ssl_) > 0) return true;
    pollfd watched[] = {{fd_, POLLIN, 0}, {order_fd_, POLLIN, 0}};
    if (poll(watched, 2, 20'000) <= 0) return false;
    if (watched[1].revents == 0) return true;
    if (order_ == Order::GoAway) {
      nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR);
      flush();
    }
    return false;
  }

  bool read() {
    std::uint8_t bytes[16384];
    const int size = SSL_read(ssl_, bytes, sizeof bytes);
    if (size <= 0) return false;
    return nghttp2_session_mem_recv(session_.get(), bytes, static_cast<std::size_t>(size)) == size;
  }

  void carry_out(std::int32_t id) {
    StreamState& stream = streams_[id];
    stream.request.connection = number_;
    stream.request.client_name = client_name_;
    stream.request.nth = ++requests_;
    stream.answer = answer_(stream.request);
    switch (stream.answer.act) {
      case H2Act::Reply:
      case H2Act::Hold:
        return reply(id, stream);
      case H2Act::Silence:
        return;
      case H2Act::Refuse:
        nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
        return;
      case H2Act::Reset:
        nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, NGHTTP2_INTERNAL_ERROR);
        return;
      case H2Act::GoAwayRefuse:
        nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE, std::max(id - 2, 0), NGHTTP2_NO_ERROR, nullptr, 0);
        return;
      case H2Act::Drop:
        dropped_ = true;
        return;
    }
  }

  void reply(std::int32_t id, StreamState& stream) {
    const std::string status = std::to_string(stream.answer.status);
    std::vector<nghttp2_nv> headers{field(":status", status)};
    for (const auto& [key, value] : stream.answer.headers) headers.push_back(field(key, value));
    if (stream.answer.hints_first) {
      const nghttp2_nv hint = field(":status", "103");
      nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, id, nullptr, &hint, 1, nullptr);
    }
    nghttp2_data_provider body{};
    body.source.ptr = &stream;
    body.read_callback = on_read;
    nghttp2_submit_response(session_.get(), id, headers.data(), headers.size(), &body);
  }

  static nghttp2_nv field(std::string_view key, std::string_view value) {
    return {reinterpret_cast<std::uint8_t*>(const_cast<char*>(key.data())),
            reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), key.size(), value.size(),
            NGHTTP2_NV_FLAG_NONE};
  }

  static ssize_t on_read(nghttp2_session*, std::int32_t, std::uint8_t* out, std::size_t room, std::uint32_t* flags,
                         nghttp2_data_source* source, void*) {
    auto& stream = *static_cast<StreamState*>(source->ptr);
    const std::size_t size = std::min(room, stream.answer.body.size() - stream.sent);
    if (size == 0 && stream.answer.act == H2Act::Hold) return NGHTTP2_ERR_DEFERRED;
    stream.answer.body.copy(reinterpret_cast<char*>(out), size, stream.sent);
    stream.sent += size;
    if (stream.sent == stream.answer.body.size() && stream.answer.act == H2Act::Reply) *flags = NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }

  static Connection& of(void* self) { return *static_cast<Connection*>(self); }
  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    of(self).streams_.try_emplace(frame->hd.stream_id);
    return 0;
  }
  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                       const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* self) {
    H2Request& request = of(self).streams_[frame->hd.stream_id].request;
    const std::string key(reinterpret_cast<const char*>(name), name_size);
    std::string text(reinterpret_cast<const char*>(value), value_size);
    if (key == ":method")
      request.method = std::move(text);
    else if (key == ":path")
      request.path = std::move(text);
    else
      request.headers[key] = std::move(text);
    return 0;
  }
  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t size,
                     void* self) {
    of(self).streams_[id].request.body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }
  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) ++of(self).pings_;
    const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (ends && (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA)) {
      of(self).carry_out(frame->hd.stream_id);
    }
    return 0;
  }
  static int on_close(nghttp2_session*, std::int32_t id, std::uint32_t, void* self) {
    of(self).streams_.erase(id);
    return 0;
  }

  int number_, fd_, order_fd_;
  std::uint32_t max_streams_;
  const H2Peer::Answerer& answer_;
  std::atomic<int>& pings_;
  std::atomic<Order> order_{Order::None};
  std::string client_name_;
  SSL* ssl_ = nullptr;
  Session session_;
  std::map<std::int32_t, StreamState> streams_;
  int requests_ = 0;
  bool dropped_ = false;
};

}  // namespace

struct H2Peer::Parts {
  explicit Parts(H2Options what, Answerer how) : options(std::move(what)), answer(std::move(how)) {
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener, 64) != 0 ||
        getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("cannot listen on loopback");
    }
    bound = ntohs(address.sin_port);
    accepting = std::thread([this] { accept_all(); });
  }
  ~Parts() {
    stopping = true;
    shutdown(listener, SHUT_RDWR);
    accepting.join();
    command(Order::Cut);
    for (auto& thread : threads) thread.join();
    close(listener);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void accept_all() {
    while (!stopping) {
      const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      const std::lock_guard lock(mutex);
      auto& client = clients.emplace_back(++numbered, fd, options, answer, pinged);
      threads.emplace_back([this, &client, context = std::make_shared<Context>(context_of(options))] {
        client.serve(context->get(), accepted);
      });
    }
  }
  void command(Order order) {
    const std::lock_guard lock(mutex);
    for (auto& client : clients) client.command(order);
  }

  H2Options options;
  Answerer answer;
  int listener = -1;
  std::uint16_t bound = 0;
  std::atomic<bool> stopping{false};
  std::atomic<int> accepted{0}, pinged{0};
  std::mutex mutex;  // options.identity, clients, threads
  int numbered = 0;
  std::list<Connection> clients;
  std::vector<std::thread> threads;
  std::thread accepting;
};

H2Peer::H2Peer(H2Options options, Answerer answer)
    : parts_(std::make_unique<Parts>(std::move(options), std::move(answer))) {}
H2Peer::~H2Peer() = default;

std::uint16_t H2Peer::port() const {
  return parts_->bound;
}
void H2Peer::use(CertifiedKey identity) {
  const std::lock_guard lock(parts_->mutex);
  parts_->options.identity = std::move(identity);
}
void H2Peer::go_away() {
  parts_->command(Order::GoAway);
}
void H2Peer::cut() {
  parts_->command(Order::Cut);
}
int H2Peer::connections() const {
  return parts_->accepted;
}
int H2Peer::pings() const {
  return parts_->pinged;
}

}  // namespace reprise::runtime::testing
