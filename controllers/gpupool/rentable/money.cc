#include "controllers/gpupool/rentable/money.h"

#include <algorithm>
#include <set>
#include <utility>

#include "controllers/gpupool/providers/machine_types.h"
#include "controllers/gpupool/rentable/machines.h"
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

// Of machines of this capacity type, those that have a price and meet one of the lists. Nothing: nobody knows one.
std::optional<std::vector<const gpupool::MachineType*>> machines_with_price(const api::GpuPoolSpec& spec,
                                                                            api::CapacityType type,
                                                                            const std::vector<Demands>& lists,
                                                                            prices::PriceTable table) {
  std::set<const gpupool::MachineType*> meeting;
  for (const Demands& demands : lists) {
    const std::vector<const gpupool::MachineType*> types = machines_of(spec, demands).types;
    meeting.insert(types.begin(), types.end());
  }
  std::vector<const gpupool::MachineType*> out;
  for (const std::string& name : prices::types_with_price(spec, type, table)) {
    const gpupool::MachineType* machine = gpupool::find_machine_type(name);
    if (machine == nullptr) return std::nullopt;
    if (meeting.contains(machine)) out.push_back(machine);
  }
  return out;
}

// The GPUs of the smallest machine that is rented.
std::int64_t fewest_gpus(const api::GpuPoolSpec& spec, api::CapacityType type, prices::PriceTable table) {
  const auto machines = machines_with_price(spec, type, {Demands{}}, table);
  std::int64_t fewest = prices::gpus_of_machines(spec).front();
  if (!machines || machines->empty()) return fewest;
  const auto smallest =
      std::ranges::min_element(*machines, {}, [](const auto* machine) { return gpupool::counted_gpus(*machine); });
  return std::max<std::int64_t>(fewest, gpupool::counted_gpus(**smallest));
}

// A machine that may be rented for a gang.
struct Offer {
  std::int64_t ranks = 0;  // that find room on it
  MicroUsd per_hour = 0;   // at the least
  MicroUsd asked = 0;      // that has to be left before it is rented
};

bool is_cheaper(const Offer& one, const Offer& other) {
  return one.per_hour * other.ranks < other.per_hour * one.ranks;
}

// What one capacity type has for a gang, with the least that a rank costs there.
struct Shelf {
  std::vector<Offer> offers;  // at least one
  std::int64_t most_ranks = 0;
  [[nodiscard]] const Offer& cheapest() const { return *std::ranges::min_element(offers, is_cheaper); }
};
// The cheapest first.
using Shelves = std::vector<Shelf>;

// The least for so many ranks beside the last machine; nothing: there is no room for them. The cost of each rank is a
// fraction; the sums are rounded down, so that nothing is claimed for a part of a micro-USD.
std::optional<MicroUsd> cost_beside(const Shelves& shelves, std::int64_t ranks, const Shelf& of_last,
                                    const Offer& last) {
  MicroUsd cost = 0;
  for (const Shelf& shelf : shelves) {
    const std::int64_t taken = &shelf == &of_last ? last.ranks : 0;
    const std::int64_t here = std::clamp<std::int64_t>(shelf.most_ranks - taken, 0, ranks);
    cost += shelf.cheapest().per_hour * here / shelf.cheapest().ranks;
    ranks -= here;
  }
  return ranks > 0 ? std::nullopt : std::optional(cost);
}

std::optional<MicroUsd> cost_of(const Shelves& shelves, std::int64_t ranks) {
  std::optional<MicroUsd> least;
  for (const Shelf& shelf : shelves)
    for (const Offer& last : shelf.offers) {
      const auto beside = cost_beside(shelves, std::max<std::int64_t>(ranks - last.ranks, 0), shelf, last);
      if (beside && (!least || *beside + last.asked < *least)) least = *beside + last.asked;
    }
  return least;
}

// Nothing where nobody knows.
std::optional<Shelf> shelf_of(const api::GpuPoolSpec& spec, const GangCost& gang, const GangCost::Part& part,
                              prices::PriceTable table) {
  const auto dearest = prices::dearest_gpu(spec, part.type, table);
  const auto machines = machines_with_price(spec, part.type, gang.demands, table);
  if (!dearest || dearest->per_hour > kMostPerHour || !machines) return std::nullopt;
  Shelf shelf{.offers = {}, .most_ranks = part.most_ranks};
  for (const gpupool::MachineType* machine : *machines) {
    const auto price = prices::cheapest_machine(spec, machine->name, part.type, table);
    if (!price || *price > kMostPerHour) return std::nullopt;
    const std::int64_t gpus = gpupool::counted_gpus(*machine);
    const std::int64_t ranks = ranks_on_whole_nodes({gpus}, gpus, gang.rank, gang.ranks);
    if (ranks > 0) shelf.offers.push_back({ranks, *price, gpus * dearest->per_hour});
  }
  return shelf;
}

// Nothing where nobody knows, or no machine has room.
std::optional<Shelves> shelves_of(const api::GpuPoolSpec& spec, const GangCost& gang, prices::PriceTable table) {
  Shelves out;
  for (const GangCost::Part& part : gang.parts) {
    auto shelf = shelf_of(spec, gang, part, table);
    if (!shelf) return std::nullopt;
    if (!shelf->offers.empty() && part.most_ranks > 0) out.push_back(*std::move(shelf));
  }
  std::ranges::sort(out,
                    [](const Shelf& one, const Shelf& other) { return is_cheaper(one.cheapest(), other.cheapest()); });
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace

std::optional<Misfit> money_for_no_machine(const api::GpuPoolSpec& spec, const std::vector<api::CapacityType>& types,
                                           prices::PriceTable table) {
  const auto limit = money_of(spec);
  if (!limit) return std::nullopt;
  struct Machine {
    api::CapacityType type{};
    prices::DearestGpu dearest;
    std::int64_t gpus = 1;
    MicroUsd needed = 0;
  };
  std::optional<Machine> least;
  for (const api::CapacityType type : types) {
    const auto dearest = prices::dearest_gpu(spec, type, table);
    if (!dearest || dearest->per_hour > kMostPerHour) return std::nullopt;
    const std::int64_t gpus = fewest_gpus(spec, type, table);
    const MicroUsd needed = dearest->per_hour * gpus;
    if (needed <= *limit) return std::nullopt;
    if (!least || needed < least->needed) least = Machine{type, *dearest, gpus, needed};
  }
  if (!least) return std::nullopt;
  return Misfit{"spec.maxCostPerHour", "found " + std::string(spec.max_cost_per_hour) + ", and a machine with " +
                                           std::to_string(least->gpus) + (least->gpus == 1 ? " GPU" : " GPUs") +
                                           " may cost up to " + prices::format_usd(least->needed) + " by estimate (" +
                                           std::string(api::name(least->type)) + ", " + least->dearest.instance_type +
                                           "): nothing is rented; raise it to " + as_limit(least->needed) +
                                           " or more, or let the pool have cheaper machines"};
}

std::optional<Misfit> money_for_too_few_ranks(const std::string& pool, const api::GpuPoolSpec& spec,
                                              const GangCost& gang, prices::PriceTable table) {
  const auto limit = money_of(spec);
  if (!limit || gang.there >= gang.ranks) return std::nullopt;
  const auto shelves = shelves_of(spec, gang, table);
  if (!shelves) return std::nullopt;
  const auto further = cost_of(*shelves, gang.ranks - gang.there);
  if (!further || *further <= *limit) return std::nullopt;
  // People are told what holds once the machines that are there have gone.
  const MicroUsd needed = cost_of(*shelves, gang.ranks).value_or(*further);
  const auto pays_for = [&](std::int64_t ranks) {
    const auto cost = cost_of(*shelves, ranks);
    return cost && *cost <= *limit;
  };
  std::int64_t fit = gang.ranks - 1;
  while (fit > 0 && !pays_for(fit)) --fit;
  return Misfit{"spec.parallelism",
                "found " + std::to_string(gang.ranks) + ", and spec.maxCostPerHour of GpuPool " + pool + ", " +
                    std::string(spec.max_cost_per_hour) + ", pays for " + std::to_string(fit) +
                    " at once at the most, by estimate: the gang never starts; raise it to " + as_limit(needed) +
                    " or more" + (fit == 0 ? "" : ", or write " + std::to_string(fit))};
}

}  // namespace reprise::controllers::rentable
