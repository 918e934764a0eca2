#include "runtime/manager/internal/required_kinds.h"

#include <algorithm>
#include <utility>

#include "runtime/cache/served.h"

namespace reprise::runtime::internal {
namespace {

std::string plural_and_group(const kube::KindInfo& kind) {
  return std::string(kind.plural) + "." + std::string(kind.group);
}

// Empty: served. Otherwise an error that passes when the definition is established, or one that does not.
std::optional<Error> lack(const RequiredKind& required, const Result<bool>& served) {
  if (!served) return served.error();
  if (*served) return std::nullopt;
  return fail(ErrorClass::Terminal,
              "the cluster does not know " + plural_and_group(required.kind) + "; " + required.remedy)
      .error();
}

bool passes(const Result<bool>& served) {
  return served || served.error().error_class == ErrorClass::Conflict;
}

}  // namespace

Result<std::optional<AskAgain>> decide_on_kinds(const std::vector<RequiredKind>& kinds,
                                                const std::vector<Result<bool>>& answers, Duration waited,
                                                const ServedPolicy& policy) {
  AskAgain again{.after = std::min(policy.retry, policy.limit - waited), .missing = {}, .remedy = {}};
  std::optional<Error> first;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    auto error = lack(kinds[i], answers[i]);
    if (!error) continue;
    if (!passes(answers[i])) return std::unexpected(*std::move(error));
    again.missing += (first ? ", " : "") + plural_and_group(kinds[i].kind) + "/" + std::string(kinds[i].kind.version);
    if (first) continue;
    first = std::move(error);
    again.remedy = kinds[i].remedy;
  }
  if (!first) return std::nullopt;
  if (waited >= policy.limit) return std::unexpected(*std::move(first));
  return again;
}

void RequiredKinds::start(std::function<void(Result<void>)> done) {
  done_ = std::move(done);
  began_ = clock_.steady();
  ask();
}

void RequiredKinds::stop() {
  done_ = nullptr;
  timer_.reset();
}

void RequiredKinds::ask() {
  answers_.clear();
  ask_next();
}

void RequiredKinds::ask_next() {
  if (answers_.size() == kinds_.size()) return decide();
  ask_whether_served(transport_, kinds_[answers_.size()].kind, [weak = weak_from_this()](Result<bool> served) {
    const auto self = weak.lock();
    if (!self || !self->done_) return;
    self->answers_.push_back(std::move(served));
    self->ask_next();
  });
}

void RequiredKinds::decide() {
  const auto waited = std::chrono::duration_cast<Duration>(clock_.steady() - began_);
  auto again = decide_on_kinds(kinds_, answers_, waited, policy_);
  if (!again) return finish(std::unexpected(std::move(again).error()));
  if (*again) return wait(**again);
  if (told_) logger_.info("Required kinds are served", {{"milliseconds", std::to_string(waited.count())}});
  finish({});
}

void RequiredKinds::wait(const AskAgain& again) {
  if (!std::exchange(told_, true)) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(policy_.limit);
    logger_.warning("Waiting for the cluster to serve required kinds",
                    {{"kinds", again.missing},
                     {"atMost", std::to_string(seconds.count()) + " s"},
                     {"remedy", again.remedy + " if they are missing"}});
  }
  set_missing(again.missing);
  timer_ = executor_.after(again.after, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->done_) self->ask();
  });
}

Result<void> RequiredKinds::check() const {
  const std::lock_guard lock(mutex_);
  if (missing_.empty()) return {};
  return fail(ErrorClass::Unavailable, "the cluster does not serve " + missing_ + " yet");
}

void RequiredKinds::set_missing(std::string missing) {
  const std::lock_guard lock(mutex_);
  missing_ = std::move(missing);
}

void RequiredKinds::finish(Result<void> result) {
  timer_.reset();
  if (result) set_missing({});
  if (const auto done = std::exchange(done_, nullptr)) done(std::move(result));
}

}  // namespace reprise::runtime::internal
