#include "simulator/faults/seeded_fates.h"

#include <array>

namespace reprise::simulator {
namespace {

Duration between(runtime::Random& random, double low, double high) {
  return Duration{static_cast<Duration::rep>(low + (high - low) * random.uniform())};
}

// What the operator's own lease does must not be told from a defect: it is refused less than other things.
bool is_lease(const runtime::Request& request) {
  return request.path_and_query.find("/leases/") != std::string::npos;
}

void refuse(ExchangeFate& fate, runtime::Random& random, bool write) {
  constexpr std::array statuses{429, 500, 503, 504, 409};
  fate.kind = ExchangeFate::Kind::Refused;
  fate.status = statuses[static_cast<std::size_t>(random.uniform() * (write ? 5 : 4))];
  if (fate.status == 429) fate.retry_after = Duration{1'000};
}

}  // namespace

ExchangeFate SeededFates::exchange(const runtime::Request& request, std::uint64_t /*write*/) {
  using enum ExchangeFate::Kind;
  ExchangeFate fate{.there = between(random_, 1, 8), .back = between(random_, 1, 8)};
  if (over_) return fate;
  const bool write = request.method != runtime::Method::Get;
  if (mix_.strikes(FaultKind::SlowExchange, random_)) {
    const bool beyond_timeout = random_.uniform() < 0.05;
    (random_.uniform() < 0.5 ? fate.there : fate.back) =
        beyond_timeout ? request.timeout + Duration{2'000} : between(random_, 100, 3'000);
  }
  if (write && !is_lease(request)) {
    if (mix_.strikes(FaultKind::CrashBeforeWrite, random_)) fate.kind = CrashBefore;
    if (mix_.strikes(FaultKind::CrashAfterWrite, random_)) fate.kind = CrashAfter;
    if (fate.kind != Answered) return fate;
  }
  if (mix_.strikes(FaultKind::LostRequest, random_)) fate.kind = LostRequest;
  if (write && mix_.strikes(FaultKind::LostAnswer, random_)) fate.kind = LostAnswer;
  if (fate.kind == Answered && mix_.strikes(FaultKind::Refusal, random_)) refuse(fate, random_, write);
  return fate;
}

WatchFate SeededFates::watch(const runtime::Request& /*request*/) {
  WatchFate fate{.delay = between(random_, 1, 30)};
  if (over_) return fate;
  if (mix_.strikes(FaultKind::WatchLate, random_)) fate.delay = between(random_, 100, 3'000);
  if (mix_.strikes(FaultKind::WatchCut, random_)) fate.cut_after = between(random_, 1'000, 120'000);
  if (mix_.strikes(FaultKind::WatchHeld, random_)) {
    fate.held_from = between(random_, 0, 120'000);
    fate.held_for = between(random_, 1'000, 30'000);
  }
  return fate;
}

}  // namespace reprise::simulator
