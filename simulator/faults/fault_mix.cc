#include "simulator/faults/fault_mix.h"

#include <cmath>

#include <fmt/format.h>

#include "simulator/faults/own_stream.h"

namespace reprise::simulator {
namespace {

constexpr double share_of_kinds = 0.33;
// The share of kinds that were added after many a seed had been chosen for its scenario.
constexpr double share_of_late_kinds = 0.12;

struct Range {
  double rare, frequent;
};

// Rates per exchange, write or watch for faults on the wire; per hour for the rest.
// NOLINTNEXTLINE(readability-function-size): a table, one row per kind
Range range_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::LostRequest:
    case FaultKind::LostAnswer:
      return {0.005, 0.1};
    case FaultKind::Rejection:
      return {0.01, 0.2};
    case FaultKind::SlowExchange:
      return {0.01, 0.2};
    case FaultKind::CrashBeforeWrite:
    case FaultKind::CrashAfterWrite:
      return {0.005, 0.06};
    case FaultKind::WatchCut:
    case FaultKind::WatchHeld:
    case FaultKind::WatchLate:
      return {0.1, 0.8};
    case FaultKind::OperatorKilled:
      return {0.5, 20};
    case FaultKind::OperatorOff:
    case FaultKind::OperatorPartitioned:
      return {0.5, 4};
    case FaultKind::HistoryCompacted:
      return {1, 20};
    case FaultKind::PowerLoss:
    case FaultKind::MachineSilent:
    case FaultKind::MachineRebooted:
    case FaultKind::KubeletRestarted:
    case FaultKind::NodeObjectDeleted:
    case FaultKind::PodForceDeleted:
    case FaultKind::CheckpointTorn:
    case FaultKind::VolumeStuck:
    case FaultKind::NoticeLate:
    case FaultKind::NoticeMissing:
    case FaultKind::ClockSkewed:
    case FaultKind::InsufficientCapacity:
      return {0.5, 6};
    // Each costs a quarter of an hour.
    case FaultKind::NeverRegisters:
    case FaultKind::NeverInitialises:
      return {0.2, 2};
    case FaultKind::VolumeSwapped:
      return {0.1, 0.5};
    case FaultKind::OperatorFrozen:
      return {0.5, 10};
    case FaultKind::WrongConfirmation:
      return {10, 120};
    case FaultKind::RebootedAtBinding:
      return {0.5, 10};
    case FaultKind::HastyConfirmation:
      return {2, 20};
    case FaultKind::MachineFrozen:
    case FaultKind::ShareHangs:
    case FaultKind::AdmissionDenies:
      return {1, 10};
    case FaultKind::KubeletRejects:
    case FaultKind::TaintsHeardLate:
      return {2, 20};
    case FaultKind::LateBinding:
      return {10, 60};
    case FaultKind::NodeNameReused:
      return {2, 12};
    case FaultKind::OptionalKindsGone:
      return {0.5, 8};
    case FaultKind::InstallFails:
      return {1, 10};
    case FaultKind::JobMadeAnew:
      return {0.5, 4};
    case FaultKind::OperatorStopped:
      return {1, 20};
  }
  return {0, 0};
}

}  // namespace

double FaultMix::rate(FaultKind kind) const {
  const auto found = rates.find(kind);
  return found == rates.end() ? 0 : found->second;
}

bool FaultMix::occurs(FaultKind kind, runtime::Random& random) const {
  const double rate_of_kind = rate(kind);
  return rate_of_kind > 0 && random.uniform() < rate_of_kind;
}

FaultMix draw_fault_mix(runtime::Random& random, std::uint64_t seed) {
  FaultMix mix;
  const auto draw = [&mix](FaultKind kind, runtime::Random& from) {
    // Both are drawn for every kind, so that adding a kind at the end leaves the draws before it as they are.
    const double chosen = from.uniform(), how_often = from.uniform();
    const auto [rare, frequent] = range_of(kind);
    const double share = kind > FaultKind::JobMadeAnew ? share_of_late_kinds : share_of_kinds;
    if (chosen < share) mix.rates[kind] = rare * std::pow(frequent / rare, how_often);
  };
  for (const FaultKind kind : kAllFaultKinds) {
    if (kind <= FaultKind::ShareHangs) {
      draw(kind, random);
    } else {
      runtime::SeededRandom own(seed ^ hash_of_name(std::string("draw/") += name(kind)));
      draw(kind, own);
    }
  }
  return mix;
}

std::string to_string(const FaultMix& mix) {
  std::string text;
  for (const auto& [kind, rate] : mix.rates)
    text += fmt::format("{}{} {:.3g}", text.empty() ? "" : ", ", name(kind), rate);
  return text.empty() ? "none" : text;
}

}  // namespace reprise::simulator
