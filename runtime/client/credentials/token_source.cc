#include <mutex>
#include <utility>

#include "runtime/client/credentials/credentials.h"

namespace reprise::runtime {
namespace {

constexpr Duration token_is_reread_after{60'000};

class StaticToken final : public CredentialSource {
 public:
  explicit StaticToken(std::string token) : token_(std::move(token)) {}
  void get(Done done) override { done(Credential{.bearer = token_}); }
  void rejected(const Credential&) override {}

 private:
  std::string token_;
};

class FileToken final : public CredentialSource {
 public:
  FileToken(std::function<std::optional<std::string>()> read, const Clock& clock)
      : read_(std::move(read)), clock_(clock) {}

  void get(Done done) override { done(Credential{.bearer = token()}); }

  void rejected(const Credential& credential) override {
    const std::lock_guard lock(mutex_);
    if (credential.bearer == token_) reread();
  }

 private:
  std::string token() {
    const std::lock_guard lock(mutex_);
    if (!read_at_ || clock_.steady() - *read_at_ >= token_is_reread_after) reread();
    return token_;
  }

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

}  // namespace

std::unique_ptr<CredentialSource> make_static_token(std::string token) {
  return std::make_unique<StaticToken>(std::move(token));
}

std::unique_ptr<CredentialSource> make_file_token(std::function<std::optional<std::string>()> read,
                                                  const Clock& clock) {
  return std::make_unique<FileToken>(std::move(read), clock);
}

}  // namespace reprise::runtime
