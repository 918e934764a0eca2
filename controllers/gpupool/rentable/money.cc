#include "controllers/gpupool/rentable/money.h"

#include <algorithm>
#include <string_view>

#include "controllers/gpupool/providers/machine_types.h"
#include "controllers/gpupool/rentable/machines.h"
#include "controllers/gpupool/rentable/places.h"
#include "controllers/prices/dearest_gpu.h"
#include "controllers/prices/money.h"

namespace reprise::controllers::rentable {
namespace {

using prices::MicroUsd;

constexpr MicroUsd kCent = 10'000;
// A dearer machine is a price written in another unit; sums of these stay far below the end of the numbers.
constexpr MicroUsd kMostPerHour = 1'000'000'000'000;

// 0 stops a pool on purpose: it is no limit that somebody got wrong.
std::optional<MicroUsd> money_of(const api::GpuPoolSpec& spec) {
  const auto limit = spec.max_cost_per_hour.empty() ? std::nullopt : prices::parse_usd(spec.max_cost_per_hour);
  return limit == 0 ? std::nullopt : limit;
}

// As somebody writes a limit: in whole cents, never too few.
std::string as_limit(MicroUsd amount) {
  return prices::format_usd((amount + kCent - 1) / kCent * kCent);
}

// A machine that may be rented for a gang.
struct Offer {
  std::int64_t ranks = 0;  // that find room on it
  MicroUsd per_hour = 0;   // at the least
  MicroUsd asked = 0;      // that has to be left before it is rented
};

// The cost of each rank is a fraction; the sums are rounded down, so that nothing is claimed for a part of a micro-USD.
MicroUsd cost_of(const std::vector<Offer>& offers, std::int64_t ranks) {
  const Offer& cheapest = *std::ranges::min_element(offers, [](const Offer& one, const Offer& other) {
    return one.per_hour * other.ranks < other.per_hour * one.ranks;
  });
  std::optional<MicroUsd> least;
  for (const Offer& last : offers) {
    const std::int64_t others = std::max<std::int64_t>(ranks - last.ranks, 0);
    const MicroUsd cost = cheapest.per_hour * others / cheapest.ranks + last.asked;
    if (!least || cost < *least) least = cost;
  }
  return *least;
}

// Nothing where a price is not known, or no machine has room.
std::optional<std::vector<Offer>> offers_of(const api::GpuPoolSpec& spec, const GangCost& gang,
                                            prices::PriceTable table) {
  std::vector<Offer> out;
  for (const api::CapacityType type : gang.types) {
    const auto dearest = prices::dearest_gpu(spec, type, table);
    if (!dearest || dearest->per_hour > kMostPerHour) return std::nullopt;
    for (const Demands& demands : gang.demands) {
      const Machines machines = machines_of(spec, demands);
      if (machines.misfit) continue;
      if (!machines.complete) return std::nullopt;
      for (const gpupool::MachineType* machine : machines.types) {
        const auto price = prices::cheapest_machine(spec, machine->name, type, table);
        if (!price || *price > kMostPerHour) return std::nullopt;
        const std::int64_t ranks = ranks_on_whole_nodes({machine->gpus}, machine->gpus, gang.rank, gang.ranks);
        if (ranks > 0) out.push_back({ranks, *price, machine->gpus * dearest->per_hour});
      }
    }
  }
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace

std::optional<Misfit> money_for_no_machine(const api::GpuPoolSpec& spec, prices::PriceTable table) {
  const auto limit = money_of(spec);
  if (!limit) return std::nullopt;
  const std::int64_t fewest = prices::gpus_of_machines(spec).front();
  std::optional<prices::DearestGpu> least;
  api::CapacityType of_type = api::CapacityType::Spot;
  for (const api::PoolCapacity& each : spec.capacity) {
    if (requirement_against(spec, each.type) != std::string::npos) continue;
    const auto dearest = prices::dearest_gpu(spec, each.type, table);
    if (!dearest || dearest->per_hour > kMostPerHour || dearest->per_hour * fewest <= *limit) return std::nullopt;
    if (least && least->per_hour <= dearest->per_hour) continue;
    least = dearest;
    of_type = each.type;
  }
  if (!least) return std::nullopt;
  const MicroUsd needed = least->per_hour * fewest;
  return Misfit{"spec.maxCostPerHour", "found " + std::string(spec.max_cost_per_hour) + ", and a machine with " +
                                           std::to_string(fewest) + (fewest == 1 ? " GPU" : " GPUs") +
                                           " may cost up to " + prices::format_usd(needed) + " by estimate (" +
                                           std::string(api::name(of_type)) + ", " + least->instance_type +
                                           "): nothing is rented; raise it to " + as_limit(needed) +
                                           " or more, or let the pool have cheaper machines"};
}

std::optional<Misfit> money_for_too_few_ranks(const std::string& pool, const api::GpuPoolSpec& spec,
                                              const GangCost& gang, prices::PriceTable table) {
  const auto limit = money_of(spec);
  if (!limit) return std::nullopt;
  const auto offers = offers_of(spec, gang, table);
  if (!offers) return std::nullopt;
  const MicroUsd needed = cost_of(*offers, gang.ranks);
  if (needed <= *limit) return std::nullopt;
  std::int64_t fit = gang.ranks - 1;
  while (fit > 0 && cost_of(*offers, fit) > *limit) --fit;
  return Misfit{"spec.parallelism",
                "found " + std::to_string(gang.ranks) + ", and spec.maxCostPerHour of GpuPool " + pool + ", " +
                    std::string(spec.max_cost_per_hour) + ", pays for " + std::to_string(fit) +
                    " at once at the most, by estimate: the gang never starts; raise it to " + as_limit(needed) +
                    " or more" + (fit == 0 ? "" : ", or write " + std::to_string(fit))};
}

}  // namespace reprise::controllers::rentable
