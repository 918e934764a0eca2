#include "simulator/faults/seeded_wire_faults.h"

#include <array>

namespace reprise::simulator {
namespace {

Duration between(runtime::Random& random, double low, double high) {
  return Duration{static_cast<Duration::rep>(low + (high - low) * random.uniform())};
}

// Requests for the operator's own lease are rejected less than others: many rejections could not be told from a defect.
bool is_lease(const runtime::Request& request) {
  return request.path_and_query.find("/leases/") != std::string::npos;
}

void reject(ExchangeFault& fault, runtime::Random& random, bool write) {
  constexpr std::array statuses{429, 500, 503, 504, 409};
  fault.kind = ExchangeFault::Kind::Rejected;
  fault.status = statuses[static_cast<std::size_t>(random.uniform() * (write ? 5 : 4))];
  if (fault.status == 429) fault.retry_after = Duration{1'000};
}

}  // namespace

ExchangeFault SeededWireFaults::exchange(const runtime::Request& request, std::uint64_t /*write*/) {
  using enum ExchangeFault::Kind;
  ExchangeFault fault{.there = between(random_, 1, 8), .back = between(random_, 1, 8)};
  if (over_) return fault;
  const bool write = request.method != runtime::Method::Get;
  if (mix_.occurs(FaultKind::SlowExchange, random_)) {
    const bool beyond_timeout = random_.uniform() < 0.05;
    (random_.uniform() < 0.5 ? fault.there : fault.back) =
        beyond_timeout ? request.timeout + Duration{2'000} : between(random_, 100, 3'000);
  }
  if (write && !is_lease(request)) {
    if (mix_.occurs(FaultKind::CrashBeforeWrite, random_)) fault.kind = CrashBefore;
    if (mix_.occurs(FaultKind::CrashAfterWrite, random_)) fault.kind = CrashAfter;
    if (fault.kind != Answered) return fault;
  }
  if (mix_.occurs(FaultKind::LostRequest, random_)) fault.kind = LostRequest;
  if (write && mix_.occurs(FaultKind::LostAnswer, random_)) fault.kind = LostAnswer;
  if (fault.kind == Answered && mix_.occurs(FaultKind::Rejection, random_)) reject(fault, random_, write);
  return fault;
}

WatchFault SeededWireFaults::watch(const runtime::Request& /*request*/) {
  WatchFault fault{.delay = between(random_, 1, 30)};
  if (over_) return fault;
  if (mix_.occurs(FaultKind::WatchLate, random_)) fault.delay = between(random_, 100, 3'000);
  if (mix_.occurs(FaultKind::WatchCut, random_)) fault.cut_after = between(random_, 1'000, 120'000);
  if (mix_.occurs(FaultKind::WatchHeld, random_)) {
    fault.held_from = between(random_, 0, 120'000);
    fault.held_for = between(random_, 1'000, 30'000);
  }
  return fault;
}

}  // namespace reprise::simulator
