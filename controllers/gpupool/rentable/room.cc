#include "controllers/gpupool/rentable/room.h"

#include <algorithm>
#include <set>
#include <utility>

#include "controllers/common/capacity_label.h"
#include "controllers/gpupool/rentable/money.h"
#include "controllers/gpupool/rentable/places.h"
#include "controllers/gpupool/sharing/sharing.h"

namespace reprise::controllers::rentable {
namespace {

std::string counted(std::int64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string limit_field(std::size_t index) {
  return "spec.capacity[" + std::to_string(index) + "].maxGpus";
}

std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  std::string out;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    out += (i == 0 ? "" : i + 1 == sizes.size() ? " or " : ", ") + std::to_string(sizes[i]);
  return out;
}

std::optional<std::int64_t> limit_of(const api::PoolCapacity& capacity) {
  return capacity.max_gpus ? std::optional<std::int64_t>(*capacity.max_gpus) : std::nullopt;
}

Misfit below_one_node(const Room& room, const std::vector<std::int64_t>& sizes) {
  const std::string least = std::to_string(sizes.front());
  return {limit_field(room.index), "found " + std::to_string(*room.limit) + ", and the smallest machine has " + least +
                                       " GPUs: nothing is rented; raise it to " + least +
                                       " or more, or let the pool have smaller machines"};
}

std::int64_t rounded_up(const std::vector<std::int64_t>& sizes, std::int64_t limit) {
  while (gpus_in_whole_nodes(sizes, limit) != limit) ++limit;
  return limit;
}

// The machines of the first of the lists that some meet, all sizes together; nothing: nobody knows them.
std::optional<std::vector<std::int64_t>> sizes_for(const api::GpuPoolSpec& spec, const Gang& gang) {
  std::set<std::int64_t> sizes;
  for (const Demands& demands : gang.demands) {
    const Machines machines = machines_of(spec, demands);
    if (machines.misfit) continue;
    if (!machines.sizes) return std::nullopt;
    sizes.insert(machines.sizes->begin(), machines.sizes->end());
  }
  if (sizes.empty()) return std::nullopt;
  return std::vector<std::int64_t>(sizes.begin(), sizes.end());
}

RankSize rank_of(const api::GpuPoolSpec& spec, const Gang& gang) {
  return {.units_per_gpu = gpupool::sharing_of(spec.sharing).units_per_gpu, .units_per_rank = gang.units_per_rank};
}

// It may be of other machines, in other zones, than the pool would rent today.
bool fits_what_is_there(const std::string& pool, const api::GpuPoolSpec& spec, const Gang& gang) {
  const RankSize rank = rank_of(spec, gang);
  MachinesBySize machines;
  for (const auto& [type, there] : gang.there)
    if (may_run_on(pool, type, gang))
      for (const auto& [gpus, count] : there) machines[gpus] += count;
  return !machines.empty() && (rank.units_per_rank <= 0 || gang.ranks <= ranks_on(machines, rank));
}

std::optional<Misfit> no_machine_for(const api::GpuPoolSpec& spec, const Gang& gang) {
  std::optional<Misfit> first;
  for (const Demands& demands : gang.demands) {
    std::optional<Misfit> misfit = machines_of(spec, demands).misfit;
    if (!misfit) return std::nullopt;
    if (!first) first = std::move(misfit);
  }
  return first;
}

std::string said_of(const Room& room, std::int64_t limit, const std::vector<std::int64_t>& sizes) {
  return std::to_string(gpus_in_whole_nodes(sizes, limit)) + " of maxGpus " + std::to_string(*room.limit) + " as " +
         std::string(api::name(room.type));
}

// Where more would do: what to write as the limit of the first of these.
std::string advice(const std::vector<Room>& rooms, const std::vector<std::int64_t>& sizes, RankSize rank,
                   std::int64_t ranks, std::int64_t fit) {
  const Room& first = rooms.front();
  std::string out;
  if (rooms.size() == 1)
    if (const auto enough = gpus_for_ranks(sizes, rank, ranks))
      out = "raise " + limit_field(first.index) + " of the pool to " + std::to_string(*enough);
  if (out.empty()) out = "raise spec.capacity[].maxGpus of the pool";
  return fit == 0 ? out : out + ", or write " + std::to_string(fit);
}

}  // namespace

std::vector<Room> rooms_of(const api::GpuPoolSpec& spec) {
  const auto sizes = machines_of(spec).sizes;
  const gpupool::GpuSharing sharing = gpupool::sharing_of(spec.sharing);
  std::vector<Room> out;
  for (std::size_t i = 0; i < spec.capacity.size(); ++i) {
    if (requirement_against(spec, spec.capacity[i].type) != std::string::npos) continue;
    Room room{.type = spec.capacity[i].type, .index = i, .limit = limit_of(spec.capacity[i])};
    room.label = capacity_label(room.type);
    room.resource = sharing.resource_name;
    if (room.limit && sizes) room.rented = gpus_in_whole_nodes(*sizes, *room.limit);
    if (room.rented) room.rented_quantity = sharing.quantity_of(*room.rented);
    out.push_back(room);
  }
  return out;
}

std::optional<PoolMisfit> pool_misfit(const api::GpuPoolSpec& spec, const Prices& known) {
  if (!spec.node_class_ref || spec.capacity.empty()) return std::nullopt;
  const Machines machines = machines_of(spec);
  if (machines.misfit) return PoolMisfit{Lack::InstanceType, *machines.misfit};
  for (auto misfit : {against_every_capacity(spec), against_every_zone(spec)})
    if (misfit) return PoolMisfit{Lack::InstanceType, *std::move(misfit)};
  const std::vector<Room> rooms = rooms_of(spec);
  std::vector<api::CapacityType> rented;
  for (const Room& room : rooms)
    if (room.rented != 0) rented.push_back(room.type);
  if (machines.sizes && !rooms.empty() && rented.empty())
    return PoolMisfit{Lack::Limit, below_one_node(rooms.front(), *machines.sizes)};
  if (known)
    if (auto misfit = money_for_no_machine(spec, rented, *known)) return PoolMisfit{Lack::Cost, *std::move(misfit)};
  return std::nullopt;
}

std::vector<Misfit> limits_between_nodes(const api::GpuPoolSpec& spec) {
  const auto sizes = machines_of(spec).sizes;
  if (!sizes || pool_misfit(spec)) return {};
  std::vector<Misfit> out;
  for (const Room& room : rooms_of(spec)) {
    if (room.reaches_limit()) continue;
    out.push_back(*room.rented == 0 ? below_one_node(room, *sizes)
                                    : Misfit{limit_field(room.index),
                                             "found " + std::to_string(*room.limit) + ", and its machines have " +
                                                 sizes_text(*sizes) + " GPUs: " + std::to_string(*room.rented) +
                                                 " are rented at most; write " + std::to_string(*room.rented) + " or " +
                                                 std::to_string(rounded_up(*sizes, *room.limit))});
  }
  return out;
}

std::optional<Misfit> gang_misfit(const std::string& pool, const api::GpuPoolSpec& spec, const Gang& gang,
                                  const Prices& known) {
  if (!spec.node_class_ref || fits_what_is_there(pool, spec, gang)) return std::nullopt;
  // A job cannot say it better than its pool.
  if (auto misfit = pool_misfit(spec, known); misfit && gang.there.empty())
    return Misfit{"spec.poolName", "GpuPool " + pool + " rents nothing: " + misfit->misfit.text()};
  if (gang.not_offered && gang.there.empty()) return gang.not_offered;
  std::vector<Room> rooms = rooms_of(spec);
  const bool rents_any = !rooms.empty();
  std::erase_if(rooms, [&](const Room& room) { return !may_run_on(pool, room.type, gang); });
  if (rents_any && rooms.empty()) return no_capacity_for(pool, spec, gang);
  if (auto misfit = no_zone_for(pool, spec, gang)) return misfit;
  if (machines_of(spec).misfit || gang.units_per_rank <= 0 || rooms.empty()) return std::nullopt;
  if (auto misfit = no_machine_for(spec, gang)) return misfit;
  const auto sizes = sizes_for(spec, gang);
  if (!sizes) return std::nullopt;
  const RankSize rank = rank_of(spec, gang);
  if (ranks_on_whole_nodes(*sizes, std::nullopt, rank, 1) == 0)
    return Misfit{"spec.template.spec.containers", "a rank asks for " + counted(gang.units_per_rank, "unit") +
                                                       ", and the largest machine of GpuPool " + pool + " has " +
                                                       std::to_string(sizes->back() * rank.units_per_gpu) +
                                                       "; ask for fewer, or let the pool have larger machines"};
  GangCost cost{.rank = rank, .ranks = gang.ranks, .demands = gang.demands};
  for (const auto& [type, there] : gang.there)
    if (may_run_on(pool, type, gang)) cost.there += ranks_on(there, rank);
  std::int64_t fit = 0;
  std::string said;
  for (const Room& room : rooms) {
    const auto found = gang.there.find(room.type);
    const MachinesBySize there = found == gang.there.end() ? MachinesBySize{} : found->second;
    const std::int64_t most = ranks_beside(there, *sizes, room.limit, rank, gang.ranks);
    cost.parts.push_back({room.type, most});
    fit += most;
    if (room.limit) said += (said.empty() ? "" : ", ") + said_of(room, std::max(*room.limit, gpus_of(there)), *sizes);
  }
  if (fit >= gang.ranks) return known ? money_for_too_few_ranks(pool, spec, cost, *known) : std::nullopt;
  return Misfit{"spec.parallelism", "found " + std::to_string(gang.ranks) + ", and GpuPool " + pool + " has room for " +
                                        counted(fit, "rank") + " of " + counted(gang.units_per_rank, "unit") +
                                        " at once, whatever else runs there: GPUs " + said + ", in machines of " +
                                        sizes_text(*sizes) + ": the gang never starts; " +
                                        advice(rooms, *sizes, rank, gang.ranks, fit)};
}

}  // namespace reprise::controllers::rentable
