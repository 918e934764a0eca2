#include "runtime/client/credentials/exec_credential.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <utility>

#include "runtime/client/internal/certificate_end.h"

namespace reprise::runtime {
namespace {

constexpr Duration backoff_first{1'000}, backoff_cap{60'000};
constexpr Duration refresh_ahead{60'000};  // or a fifth of the lifetime, if that is less
constexpr double never = std::numeric_limits<double>::infinity();
constexpr Duration rejected_not_before{
    10'000};  // a plugin that keeps giving what the server rejects is not run all the time

enum class ExecState {
  Empty,       // no credential: the next caller starts a run
  Fetching,    // no credential, the plugin runs: callers wait
  Fresh,       // a credential is held
  Refreshing,  // a credential is held, the plugin runs
  Failed,      // no credential, the last run failed: callers get its error, or start a run when it is time
};

class ExecCredential final : public CredentialSource, public std::enable_shared_from_this<ExecCredential> {
 public:
  ExecCredential(std::unique_ptr<ExecRunner> runner, std::function<void(const ExecAnswer&)> use_certificate,
                 const Clock& clock, MetricsRegistry& metrics)
      : use_certificate_(std::move(use_certificate)), clock_(clock), metrics_(metrics), runner_(std::move(runner)) {
    for (const ExecEnd end :
         {ExecEnd::PluginExecutionError, ExecEnd::PluginNotFoundError, ExecEnd::ClientInternalError}) {
      (void)calls(end, 1);
    }
    (void)calls(ExecEnd::NoError, 0);
    metrics.gauge_of("rest_client_exec_plugin_ttl_seconds",
                     "Seconds until the client certificate of the exec plugin ends; +Inf when it made none.", {},
                     [end = certificate_end_, &clock] {
                       const double now = std::chrono::duration<double>(clock.wall().time_since_epoch()).count();
                       return *end - now;
                     });
  }

  ~ExecCredential() override {
    for (const Done& done : waiting_) done(fail(ErrorClass::Cancelled, "the transport is shutting down"));
  }

  void get(Done done) override {
    std::unique_lock lock(mutex_);
    expire();
    bool run = false;
    std::optional<Result<Credential>> answer;
    switch (state_) {
      case ExecState::Empty:
        run = true;
        state_ = ExecState::Fetching;
        break;
      case ExecState::Fetching:
        break;
      case ExecState::Fresh:
        answer = credential_;
        if (refresh_at_ && clock_.wall() >= *refresh_at_ && clock_.steady() >= not_before_) {
          run = true;
          state_ = ExecState::Refreshing;
        }
        break;
      case ExecState::Refreshing:
        answer = credential_;
        break;
      case ExecState::Failed:
        if (clock_.steady() < not_before_) {
          answer = std::unexpected(failure_);
        } else {
          run = true;
          state_ = ExecState::Fetching;
        }
        break;
    }
    if (!answer) waiting_.push_back(done);
    lock.unlock();
    if (run) start();
    if (answer) done(*std::move(answer));
  }

  void rejected(const Credential& credential) override {
    const std::lock_guard lock(mutex_);
    if (credential.bearer != credential_.bearer || credential.certificate != credential_.certificate) return;
    if (state_ == ExecState::Refreshing) state_ = ExecState::Fetching;
    if (state_ == ExecState::Fresh && clock_.steady() >= made_at_ + rejected_not_before) state_ = ExecState::Empty;
  }

 private:
  [[nodiscard]] Counter& calls(ExecEnd end, int exit_code) const {
    return metrics_.counter("rest_client_exec_plugin_call_total",
                            "Number of calls to an exec plugin, partitioned by the type of event encountered.",
                            {{"code", std::to_string(exit_code)}, {"call_status", std::string(name(end))}});
  }

  // Drops the credential when its time is over.
  void expire() {
    if (!expires_ || clock_.wall() < *expires_) return;
    if (state_ == ExecState::Fresh) state_ = failures_ == 0 ? ExecState::Empty : ExecState::Failed;
    if (state_ == ExecState::Refreshing) state_ = ExecState::Fetching;
  }

  void start() {
    runner_->start([weak = weak_from_this()](ExecOutcome outcome) {
      const auto self = weak.lock();
      if (!self) return;
      self->calls(outcome.end, outcome.exit_code).add();
      self->finish(std::move(outcome.answer));
    });
  }

  void finish(Result<ExecAnswer> answer) {
    if (answer && answer->expires && *answer->expires <= clock_.wall()) {
      answer = fail(ErrorClass::Unauthorized, "the credential plugin gave a credential that has expired already");
    }
    if (answer && !answer->certificate_pem.empty()) use_certificate_(*answer);
    std::unique_lock lock(mutex_);
    expire();
    if (answer)
      keep(*answer);
    else
      fall_short(std::move(answer.error()));
    const bool held = state_ == ExecState::Fresh;
    const Result<Credential> result = held ? Result<Credential>(credential_) : std::unexpected(failure_);
    const auto waiting = std::exchange(waiting_, {});
    lock.unlock();
    for (const Done& done : waiting) done(result);
  }

  void keep(const ExecAnswer& answer) {
    state_ = ExecState::Fresh;
    failures_ = 0;
    made_at_ = clock_.steady();
    not_before_ = Instant::min();
    credential_.bearer = answer.bearer;
    if (answer.certificate_pem != certificate_pem_) ++credential_.certificate;
    certificate_pem_ = answer.certificate_pem;
    const auto end = internal::certificate_end(certificate_pem_);
    *certificate_end_ = end ? std::chrono::duration<double>(end->time_since_epoch()).count() : never;
    expires_ = answer.expires;
    refresh_at_.reset();
    if (!expires_) return;
    const auto lifetime = std::chrono::floor<Duration>(*expires_ - clock_.wall());
    refresh_at_ = *expires_ - std::min(refresh_ahead, std::max(lifetime / 5, Duration{0}));
  }

  void fall_short(Error error) {
    state_ = state_ == ExecState::Refreshing ? ExecState::Fresh : ExecState::Failed;
    failure_ = std::move(error);
    not_before_ = clock_.steady() + std::min(backoff_cap, backoff_first * (1 << std::min(failures_, 10)));
    ++failures_;
  }

  std::function<void(const ExecAnswer&)> use_certificate_;
  const Clock& clock_;
  MetricsRegistry& metrics_;
  // Seconds since 1970; shared with the gauge.
  std::shared_ptr<std::atomic<double>> certificate_end_ = std::make_shared<std::atomic<double>>(never);
  std::mutex mutex_;  // all below but the runner
  ExecState state_ = ExecState::Empty;
  Credential credential_;
  std::string certificate_pem_;
  std::optional<WallTime> expires_, refresh_at_;
  Instant made_at_, not_before_ = Instant::min();
  int failures_ = 0;
  Error failure_;
  std::vector<Done> waiting_;
  std::unique_ptr<ExecRunner> runner_;
};

// Owns the credential on behalf of its user, so that callbacks that come late find it gone.
class ExecCredentialOwner final : public CredentialSource {
 public:
  explicit ExecCredentialOwner(std::shared_ptr<ExecCredential> credential) : credential_(std::move(credential)) {}
  void get(Done done) override { credential_->get(std::move(done)); }
  void rejected(const Credential& credential) override { credential_->rejected(credential); }

 private:
  std::shared_ptr<ExecCredential> credential_;
};

}  // namespace

std::unique_ptr<CredentialSource> make_exec_credential(std::unique_ptr<ExecRunner> runner,
                                                       std::function<void(const ExecAnswer&)> use_certificate,
                                                       const Clock& clock, MetricsRegistry& metrics) {
  return std::make_unique<ExecCredentialOwner>(
      std::make_shared<ExecCredential>(std::move(runner), std::move(use_certificate), clock, metrics));
}

}  // namespace reprise::runtime
