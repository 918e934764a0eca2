// The kinds without which a process is of no use. It may start in the very moment in which their definitions are
// applied, and the API server serves a kind some seconds after that: so the process asks for a while before it ends.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/executor.h"
#include "runtime/base/log.h"
#include "runtime/http/transport.h"
#include "runtime/kube/meta.h"

namespace reprise::runtime::internal {

struct RequiredKind {
  kube::KindInfo kind;
  std::string remedy;  // a person's way out: "install the chart's CRDs"
};

struct ServedPolicy {
  Duration retry{1'000};
  Duration limit{30'000};  // for all kinds together
};

struct AskAgain {
  Duration after{0};
  std::string missing;  // "things.test.dev/v1, others.test.dev/v1"
  std::string remedy;   // the remedy of the first of them
};

// Decides by discovery's answers for each kind (ask_whether_served()). Empty: all are served. An error: the process is
// to end with it, since `waited` has reached the limit or since waiting does not mend the answers.
[[nodiscard]] Result<std::optional<AskAgain>> decide_on_kinds(const std::vector<RequiredKind>& kinds,
                                                              const std::vector<Result<bool>>& answers, Duration waited,
                                                              const ServedPolicy& policy = {});

// On the executor's thread, but for add() and check(). All references outlive it.
class RequiredKinds : public std::enable_shared_from_this<RequiredKinds> {
 public:
  RequiredKinds(Transport& transport, Executor& executor, const Clock& clock, Logger& logger, ServedPolicy policy = {})
      : transport_(transport), executor_(executor), clock_(clock), logger_(logger), policy_(policy) {}

  // Before start().
  void add(RequiredKind kind) { kinds_.push_back(std::move(kind)); }
  // `done` runs once, never after stop().
  void start(std::function<void(Result<void>)> done);
  void stop();
  // For readiness: an error that names the kinds while they are waited for. Any thread.
  [[nodiscard]] Result<void> check() const;

 private:
  void ask();
  void ask_next();
  void decide();
  void wait(const AskAgain& again);
  void set_missing(std::string missing);
  void finish(Result<void> result);

  Transport& transport_;
  Executor& executor_;
  const Clock& clock_;
  Logger& logger_;
  ServedPolicy policy_;
  std::vector<RequiredKind> kinds_;
  std::vector<Result<bool>> answers_;
  std::function<void(Result<void>)> done_;
  std::unique_ptr<Timer> timer_;
  Instant began_{};
  bool told_ = false;
  mutable std::mutex mutex_;
  std::string missing_;  // under the mutex
};

}  // namespace reprise::runtime::internal
