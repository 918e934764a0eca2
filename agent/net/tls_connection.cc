#include "agent/net/tls_connection.h"

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/error.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "agent/net/socket.h"

namespace reprise::agent {
namespace {

template <class T>
using Said = std::expected<T, std::string>;

std::string reason_of(int problem) {
  std::array<char, 160> text{};
  mbedtls_strerror(problem, text.data(), text.size());
  return text.data();
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

int send_bytes(void* context, const unsigned char* bytes, std::size_t size) {
  const ssize_t sent = ::send(*static_cast<const int*>(context), bytes, size, MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<int>(sent);
  return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_WRITE : MBEDTLS_ERR_NET_SEND_FAILED;
}

int receive_bytes(void* context, unsigned char* bytes, std::size_t size) {
  const ssize_t got = ::recv(*static_cast<const int*>(context), bytes, size, 0);
  if (got >= 0) return static_cast<int>(got);
  return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_READ : MBEDTLS_ERR_NET_RECV_FAILED;
}

// The library trusts a certificate in the list itself only if it has signed itself. One that an authority has signed,
// and of which alone the list tells, is as good: whoever shows it has its key.
class Trust {
 public:
  explicit Trust(const mbedtls_x509_crt& authority) : authority_(authority) {}

  // Called for each certificate that is shown, the server's own last (depth 0).
  static int judge(void* trust, mbedtls_x509_crt* shown, int depth, std::uint32_t* problems) {
    static_cast<Trust*>(trust)->judge(*shown, depth, *problems);
    return 0;
  }

 private:
  void judge(const mbedtls_x509_crt& shown, int depth, std::uint32_t& problems) {
    if (depth > 0) {
      of_signers_ |= std::exchange(problems, 0);
      return;
    }
    const std::uint32_t signers = std::exchange(of_signers_, 0);
    if (std::ranges::equal(bytes_of(shown.raw), bytes_of(authority_.raw)))
      problems &= ~std::uint32_t{MBEDTLS_X509_BADCERT_NOT_TRUSTED};
    else
      problems |= signers;
  }
  static std::string_view bytes_of(const mbedtls_x509_buf& der) {
    return {reinterpret_cast<const char*>(der.p), der.len};
  }

  const mbedtls_x509_crt& authority_;
  std::uint32_t of_signers_ = 0;  // until the server's own comes
};

// One connection's state of TLS.
class Speaker {
 public:
  explicit Speaker(int socket) : socket_(socket) { mbedtls_ssl_init(&ssl_); }
  Speaker(const Speaker&) = delete;
  Speaker& operator=(const Speaker&) = delete;
  ~Speaker() { mbedtls_ssl_free(&ssl_); }

  [[nodiscard]] mbedtls_ssl_context* get() { return &ssl_; }
  [[nodiscard]] int set_up(const mbedtls_ssl_config& config, const std::string& server_name) {
    const int problem = mbedtls_ssl_setup(&ssl_, &config);
    if (problem != 0) return problem;
    mbedtls_ssl_set_bio(&ssl_, &socket_, send_bytes, receive_bytes, nullptr);
    return mbedtls_ssl_set_hostname(&ssl_, server_name.c_str());
  }
  // Calls `step` until it needs to wait for nobody, or until the deadline.
  template <class Step>
  [[nodiscard]] int go_on(runtime::Instant deadline, const Step& step) {
    for (;;) {
      const int outcome = step();
      const bool reads = outcome == MBEDTLS_ERR_SSL_WANT_READ, writes = outcome == MBEDTLS_ERR_SSL_WANT_WRITE;
      if (!reads && !writes) return outcome;
      if (!wait_for(socket_, reads ? POLLIN : POLLOUT, deadline)) return MBEDTLS_ERR_SSL_TIMEOUT;
    }
  }

 private:
  int socket_;
  mbedtls_ssl_context ssl_{};
};

}  // namespace

struct TlsClient::Own {
  Own() {
    mbedtls_entropy_init(&entropy);
    mbedtls_ctr_drbg_init(&random);
    mbedtls_x509_crt_init(&authority);
    mbedtls_ssl_config_init(&config);
    mbedtls_ssl_session_init(&session);
  }
  Own(const Own&) = delete;
  Own& operator=(const Own&) = delete;
  ~Own() {
    mbedtls_ssl_session_free(&session);
    mbedtls_ssl_config_free(&config);
    mbedtls_x509_crt_free(&authority);
    mbedtls_ctr_drbg_free(&random);
    mbedtls_entropy_free(&entropy);
  }

  [[nodiscard]] int set_up() {
    int problem = mbedtls_ctr_drbg_seed(&random, mbedtls_entropy_func, &entropy, nullptr, 0);
    if (problem == 0)
      problem = mbedtls_ssl_config_defaults(&config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM,
                                            MBEDTLS_SSL_PRESET_DEFAULT);
    if (problem != 0) return problem;
#if MBEDTLS_VERSION_NUMBER >= 0x03020000
    mbedtls_ssl_conf_min_tls_version(&config, MBEDTLS_SSL_VERSION_TLS1_2);
    mbedtls_ssl_conf_max_tls_version(&config, MBEDTLS_SSL_VERSION_TLS1_2);  // 1.3 asks for more of the library
#else
    mbedtls_ssl_conf_min_version(&config, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);  // 1.2
#endif
    mbedtls_ssl_conf_authmode(&config, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(&config, &authority, nullptr);
    mbedtls_ssl_conf_verify(&config, Trust::judge, &trust);
    mbedtls_ssl_conf_rng(&config, mbedtls_ctr_drbg_random, &random);
    return 0;
  }

  [[nodiscard]] Said<void> greet(Speaker& speaker, runtime::Instant deadline) {
    if (const int problem = speaker.set_up(config, server_name); problem != 0)
      return std::unexpected(reason_of(problem));
    if (known) static_cast<void>(mbedtls_ssl_set_session(speaker.get(), &session));
    const int problem = speaker.go_on(deadline, [&] { return mbedtls_ssl_handshake(speaker.get()); });
    if (problem == 0) return {};
    forget();
    if (problem == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED)
      return std::unexpected("its certificate is not the one to trust, or not of " + server_name);
    return std::unexpected("TLS: " + reason_of(problem));
  }

  // A handshake costs both sides far more than going on with an earlier one.
  void remember(Speaker& speaker) {
    forget();
    known = mbedtls_ssl_get_session(speaker.get(), &session) == 0;
  }

  void forget() {
    mbedtls_ssl_session_free(&session);
    mbedtls_ssl_session_init(&session);
    known = false;
  }

  mbedtls_entropy_context entropy{};
  mbedtls_ctr_drbg_context random{};
  mbedtls_x509_crt authority{};
  Trust trust{authority};
  mbedtls_ssl_config config{};
  mbedtls_ssl_session session{};
  bool known = false;
  std::string server_name;
};

TlsClient::TlsClient(std::unique_ptr<Own> own) : own_(std::move(own)) {}
TlsClient::~TlsClient() = default;

Said<std::unique_ptr<TlsClient>> TlsClient::create(const std::string& authority, const std::string& server_name) {
  auto own = std::make_unique<Own>();
  own->server_name = server_name;
  // The length counts the terminating 0.
  int problem = mbedtls_x509_crt_parse(&own->authority, bytes_of(authority), authority.size() + 1);
  if (problem == 0) problem = own->set_up();
  if (problem > 0) return std::unexpected("a certificate of it cannot be read");
  if (problem != 0) return std::unexpected(reason_of(problem));
  return std::unique_ptr<TlsClient>(new TlsClient(std::move(own)));
}

Said<std::string> TlsClient::ask(const Address& server, std::string_view request, runtime::Instant deadline,
                                 const Reading& reading) {
  const auto socket = connect_to(server, deadline);
  if (!socket) return std::unexpected(socket.error());
  Speaker speaker(socket->get());
  if (auto greeted = own_->greet(speaker, deadline); !greeted) return std::unexpected(std::move(greeted.error()));
  while (!request.empty()) {
    const int sent =
        speaker.go_on(deadline, [&] { return mbedtls_ssl_write(speaker.get(), bytes_of(request), request.size()); });
    if (sent < 0) return std::unexpected(reason_of(sent));
    request.remove_prefix(static_cast<std::size_t>(sent));
  }
  std::string answer;
  std::array<unsigned char, 4096> block{};
  while (!reading.ends(answer)) {
    const int got =
        speaker.go_on(deadline, [&] { return mbedtls_ssl_read(speaker.get(), block.data(), block.size()); });
    if (got == 0 || got == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY || got == MBEDTLS_ERR_SSL_CONN_EOF) break;
    if (got < 0) return std::unexpected(got == MBEDTLS_ERR_SSL_TIMEOUT ? "no answer in time" : reason_of(got));
    answer.append(reinterpret_cast<const char*>(block.data()), static_cast<std::size_t>(got));
  }
  own_->remember(speaker);
  static_cast<void>(mbedtls_ssl_close_notify(speaker.get()));
  return answer;
}

}  // namespace reprise::agent
