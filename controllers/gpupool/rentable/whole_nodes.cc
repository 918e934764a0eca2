#include "controllers/gpupool/rentable/whole_nodes.h"

#include <algorithm>

namespace reprise::controllers::rentable {
namespace {

// Beyond it every number that the sizes have a common divisor with is a sum of them: a machine has 16 GPUs at most.
constexpr std::int64_t kSearched = 4096;

std::int64_t ranks_of(std::int64_t gpus, RankSize rank) {
  return gpus * rank.units_per_gpu / std::max<std::int64_t>(rank.units_per_rank, 1);
}

std::int64_t most_ranks_of_one(const std::vector<std::int64_t>& sizes, RankSize rank) {
  std::int64_t most = 0;
  for (const std::int64_t size : sizes) most = std::max(most, ranks_of(size, rank));
  return most;
}

// At each number of GPUs up to the last: the most of what machines that have so many together are worth.
template <class Worth>
std::vector<std::int64_t> best_up_to(const std::vector<std::int64_t>& sizes, std::int64_t last, Worth worth) {
  std::vector<std::int64_t> best(static_cast<std::size_t>(last) + 1, 0);
  for (std::size_t gpus = 1; gpus < best.size(); ++gpus) {
    best[gpus] = best[gpus - 1];
    for (const std::int64_t size : sizes) {
      const auto taken = static_cast<std::size_t>(size);
      if (size > 0 && taken <= gpus) best[gpus] = std::max(best[gpus], best[gpus - taken] + worth(size));
    }
  }
  return best;
}

}  // namespace

std::int64_t gpus_in_whole_nodes(const std::vector<std::int64_t>& sizes, std::int64_t at_most) {
  if (at_most <= 0 || sizes.empty()) return 0;
  const auto [least, most] = std::ranges::minmax(sizes);
  if (most <= 0) return 0;
  // What is beyond is taken up by the largest machines.
  const std::int64_t searched = std::min(at_most, kSearched);
  const std::int64_t aside = (at_most - searched + most - 1) / most * most;
  return aside + best_up_to(sizes, at_most - aside, [](std::int64_t size) { return size; }).back();
}

std::int64_t ranks_on_whole_nodes(const std::vector<std::int64_t>& sizes, std::optional<std::int64_t> at_most,
                                  RankSize rank, std::int64_t wanted) {
  const std::int64_t of_one = most_ranks_of_one(sizes, rank);
  if (of_one <= 0 || wanted <= 0) return 0;
  if (!at_most) return wanted;
  // With machines of the size that takes most ranks, so many at the most are needed.
  const std::int64_t enough = (wanted + of_one - 1) / of_one * std::ranges::max(sizes);
  if (*at_most >= enough) return wanted;
  const auto best =
      best_up_to(sizes, std::max<std::int64_t>(*at_most, 0), [&](std::int64_t size) { return ranks_of(size, rank); });
  return std::min(best.back(), wanted);
}

std::int64_t gpus_of(const MachinesBySize& machines) {
  std::int64_t gpus = 0;
  for (const auto& [size, count] : machines) gpus += size * count;
  return gpus;
}

std::int64_t ranks_on(const MachinesBySize& machines, RankSize rank) {
  std::int64_t ranks = 0;
  for (const auto& [size, count] : machines) ranks += ranks_of(size, rank) * count;
  return ranks;
}

std::int64_t ranks_beside(const MachinesBySize& there, const std::vector<std::int64_t>& sizes,
                          std::optional<std::int64_t> at_most, RankSize rank, std::int64_t wanted) {
  const std::int64_t stay = ranks_on(there, rank);
  if (stay >= wanted || ranks_on_whole_nodes(sizes, at_most, rank, wanted) == wanted) return wanted;
  if (!at_most || most_ranks_of_one(sizes, rank) <= 0) return stay;
  // Neither is enough alone: some of those that are there, and new ones in the place of the others.
  auto best =
      best_up_to(sizes, std::max<std::int64_t>(*at_most, 0), [&](std::int64_t size) { return ranks_of(size, rank); });
  for (const auto& [size, count] : there)
    for (std::int64_t left = count, lot = 1; left > 0; left -= lot, lot = std::min(lot * 2, left)) {
      const auto taken = static_cast<std::size_t>(size * lot);
      for (std::size_t gpus = best.size(); gpus-- > taken;)
        best[gpus] = std::max(best[gpus], best[gpus - taken] + ranks_of(size, rank) * lot);
    }
  return std::min(std::max(stay, best.back()), wanted);
}

std::optional<std::int64_t> gpus_for_ranks(const std::vector<std::int64_t>& sizes, RankSize rank, std::int64_t wanted) {
  const std::int64_t of_one = most_ranks_of_one(sizes, rank);
  if (of_one <= 0) return std::nullopt;
  const std::int64_t enough = (wanted + of_one - 1) / of_one * std::ranges::max(sizes);
  const auto best = best_up_to(sizes, enough, [&](std::int64_t size) { return ranks_of(size, rank); });
  const auto found = std::ranges::lower_bound(best, wanted);
  return found == best.end() ? std::nullopt : std::optional<std::int64_t>(found - best.begin());
}

}  // namespace reprise::controllers::rentable
