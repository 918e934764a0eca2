#include "runtime/client/credentials.h"

#include <fstream>
#include <iterator>
#include <mutex>
#include <utility>

namespace reprise::runtime {
namespace {

constexpr Duration reread_after{60'000};

class StaticToken final : public TokenSource {
 public:
  explicit StaticToken(std::string token) : token_(std::move(token)) {}
  std::string token() override { return token_; }
  void refused(const std::string&) override {}

 private:
  std::string token_;
};

class FileToken final : public TokenSource {
 public:
  FileToken(std::function<std::optional<std::string>()> read, const Clock& clock)
      : read_(std::move(read)), clock_(clock) {}

  std::string token() override {
    const std::lock_guard lock(mutex_);
    if (!read_at_ || clock_.steady() - *read_at_ >= reread_after) reread();
    return token_;
  }

  void refused(const std::string& token) override {
    const std::lock_guard lock(mutex_);
    if (token == token_) reread();
  }

 private:
  void reread() {
    read_at_ = clock_.steady();
    auto text = read_();
    if (!text) return;
    while (!text->empty() && (text->back() == '\n' || text->back() == '\r' || text->back() == ' ')) text->pop_back();
    if (!text->empty()) token_ = *std::move(text);
  }

  std::function<std::optional<std::string>()> read_;
  const Clock& clock_;
  std::mutex mutex_;
  std::string token_;
  std::optional<Instant> read_at_;
};

class CredentialedTransport final : public Transport {
 public:
  CredentialedTransport(Transport& inner, std::unique_ptr<TokenSource> tokens)
      : inner_(inner), tokens_(std::move(tokens)) {}

  Result<Response> send(const Request& request) override {
    std::string token;
    auto response = inner_.send(with_token(request, token));
    if (!refused(response, token)) return response;
    return inner_.send(with_token(request, token));
  }

  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    std::string token;
    Request signed_request = with_token(request, token);
    inner_.send_async(std::move(signed_request),
                      [this, request = std::move(request), token, done = std::move(done)](Result<Response> response) {
                        if (!refused(response, token)) return done(std::move(response));
                        std::string newer;
                        inner_.send_async(with_token(request, newer), done);
                      });
  }

  std::unique_ptr<Stream> open(Request request, StreamSink& sink) override {
    std::string token;
    auto watching = std::make_unique<WatchedSink>(*this, sink);
    Request signed_request = with_token(request, token);
    watching->token = token;
    watching->stream = inner_.open(std::move(signed_request), *watching);
    return watching;
  }

 private:
  // Sees a stream's 401 so that the next attempt has another token.
  struct WatchedSink final : Stream, StreamSink {
    WatchedSink(CredentialedTransport& owner, StreamSink& target) : transport(owner), sink(target) {}
    void on_status(int status, std::optional<Duration> retry_after) override {
      if (status == 401) transport.tokens_->refused(token);
      sink.on_status(status, retry_after);
    }
    void on_bytes(std::string_view bytes) override { sink.on_bytes(bytes); }
    void on_closed(std::optional<Error> error) override { sink.on_closed(std::move(error)); }

    CredentialedTransport& transport;
    StreamSink& sink;
    std::string token;
    std::unique_ptr<Stream> stream;
  };

  Request with_token(Request request, std::string& token) {
    token = tokens_->token();
    if (!token.empty()) request.headers.emplace_back("Authorization", "Bearer " + token);
    return request;
  }

  bool refused(const Result<Response>& response, const std::string& token) {
    if (!response || response->status != 401) return false;
    tokens_->refused(token);
    return tokens_->token() != token;
  }

  Transport& inner_;
  std::unique_ptr<TokenSource> tokens_;
};

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

std::unique_ptr<TokenSource> make_static_token(std::string token) {
  return std::make_unique<StaticToken>(std::move(token));
}

std::unique_ptr<TokenSource> make_file_token(std::function<std::optional<std::string>()> read, const Clock& clock) {
  return std::make_unique<FileToken>(std::move(read), clock);
}

std::unique_ptr<TokenSource> make_token_source(const ClusterConfig& config, const Clock& clock) {
  if (config.token_file.empty()) return make_static_token(config.token);
  return make_file_token([path = config.token_file] { return read_file(path); }, clock);
}

std::unique_ptr<Transport> with_credentials(Transport& inner, std::unique_ptr<TokenSource> tokens) {
  return std::make_unique<CredentialedTransport>(inner, std::move(tokens));
}

}  // namespace reprise::runtime
