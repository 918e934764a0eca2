#include "runtime/client/api_transport.h"

#include <mutex>
#include <utility>

#include "runtime/base/files/file_text.h"
#include "runtime/client/credentials/exec_credential.h"
#include "runtime/http/authority.h"

namespace reprise::runtime {
namespace {

std::optional<std::string> read_file(const std::string& path) {
  auto text = file_text(path);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

// The identity has two sources: files, and a plugin whose certificate wins.
class IdentityBoard {
 public:
  IdentityBoard(CurlTransport& transport, TlsIdentity first) : transport_(transport), files_(std::move(first)) {}

  void from_files(const TlsIdentity& identity) {
    const std::lock_guard lock(mutex_);
    files_ = identity;
    use();
  }
  void from_plugin(const ExecAnswer& answer) {
    const std::lock_guard lock(mutex_);
    certificate_ = answer.certificate_pem;
    key_ = answer.key_pem;
    use();
  }

 private:
  void use() {
    TlsIdentity identity = files_;
    if (!certificate_.empty()) {
      identity.client_certificate_pem = certificate_;
      identity.client_key_pem = key_;
    }
    transport_.use(std::move(identity));
  }

  CurlTransport& transport_;
  std::mutex mutex_;
  TlsIdentity files_;
  std::string certificate_, key_;
};

class ApiTransport final : public Transport {
 public:
  ApiTransport(AsioExecutor& executor, const Clock& clock, Random& random, MetricsRegistry& metrics,
               const ClusterConfig& config, const ApiTransportOptions& options)
      : curl_(make_curl_transport(executor, server_of(config, random, options))),
        board_(*curl_, config.server.identity) {
    const Authority server = split_url(config.server.url);
    const std::string host = server.host + ":" + server.port;
    metered_ = with_request_metrics(*curl_, metrics, clock, host, options.more_metrics);
    Transport* below = metered_.get();
    if (options.limit.per_second > 0) {
      limited_ = with_rate_limit(*below, executor, clock, metrics, host, options.limit);
      below = limited_.get();
    }
    credentialed_ = with_credentials(*below, source_of(executor, clock, metrics, config), executor, clock,
                                     impersonation_headers(config.impersonate));
    retrying_ = with_retries(*credentialed_, executor, clock, random, metrics, host, options.retries);
  }

  // Ends requests under way while all that hears of their end still stands.
  ~ApiTransport() override { curl_->shut_down(); }
  ApiTransport(const ApiTransport&) = delete;
  ApiTransport& operator=(const ApiTransport&) = delete;

  Result<Response> send(const Request& request) override { return retrying_->send(request); }
  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    retrying_->send_async(std::move(request), std::move(done));
  }
  std::unique_ptr<Stream> open(Request request, StreamSink& sink) override {
    return retrying_->open(std::move(request), sink);
  }

 private:
  static ServerConfig server_of(const ClusterConfig& config, Random& random, const ApiTransportOptions& options) {
    ServerConfig server = config.server;
    server.connection_age = [&random, age = static_cast<double>(options.connection_age.count())] {
      return Duration{static_cast<Duration::rep>(age * (0.8 + 0.4 * random.uniform()))};
    };
    return server;
  }

  std::unique_ptr<CredentialSource> source_of(AsioExecutor& executor, const Clock& clock, MetricsRegistry& metrics,
                                              const ClusterConfig& config) {
    std::unique_ptr<CredentialSource> source;
    if (!config.token_file.empty()) {
      source = make_file_token([path = config.token_file] { return read_file(path); }, clock);
    } else if (!config.token.empty() || !config.exec) {
      source = make_static_token(config.token);
    } else {
      source = make_exec_credential(
          make_exec_runner(*config.exec, executor), [this](const ExecAnswer& answer) { board_.from_plugin(answer); },
          clock, metrics);
    }
    if (!config.tls_files.any()) return source;
    return with_tls_rotation(
        std::move(source),
        [files = config.tls_files, first = config.server.identity] { return read_identity(files, first); },
        config.server.identity, [this](const TlsIdentity& identity) { board_.from_files(identity); }, clock);
  }

  std::unique_ptr<CurlTransport> curl_;
  IdentityBoard board_;
  // The lowest goes first: what waits in it ends with Cancelled, and those above hear of it.
  std::unique_ptr<Transport> retrying_, credentialed_, limited_, metered_;
};

}  // namespace

std::unique_ptr<Transport> make_api_transport(AsioExecutor& executor, const Clock& clock, Random& random,
                                              MetricsRegistry& metrics, const ClusterConfig& config,
                                              const ApiTransportOptions& options) {
  return std::make_unique<ApiTransport>(executor, clock, random, metrics, config, options);
}

}  // namespace reprise::runtime
