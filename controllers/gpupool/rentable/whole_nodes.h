// How much can be rented in whole machines. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace reprise::controllers::rentable {

// The most GPUs that whole machines have together without passing `at_most`. `sizes`: the GPUs of one machine of each
// kind; several kinds may be mixed.
[[nodiscard]] std::int64_t gpus_in_whole_nodes(const std::vector<std::int64_t>& sizes, std::int64_t at_most);

// How many ranks find room on them at once, up to `wanted`: a machine with n GPUs has room for n * units_per_gpu /
// units_per_rank of them, rounded down.
struct RankSize {
  std::int64_t units_per_gpu = 1, units_per_rank = 1;
};
[[nodiscard]] std::int64_t ranks_on_whole_nodes(const std::vector<std::int64_t>& sizes,
                                                std::optional<std::int64_t> at_most, RankSize rank,
                                                std::int64_t wanted);

// Machines that are there: how many, by how many GPUs each has.
using MachinesBySize = std::map<std::int64_t, std::int64_t>;
[[nodiscard]] std::int64_t gpus_of(const MachinesBySize& machines);
[[nodiscard]] std::int64_t ranks_on(const MachinesBySize& machines, RankSize rank);

// The ranks on new machines beside those that are there, of which each counts against the limit for as long as it
// stays. All of them may stay beyond a limit that was lowered.
[[nodiscard]] std::int64_t ranks_beside(const MachinesBySize& there, const std::vector<std::int64_t>& sizes,
                                        std::optional<std::int64_t> at_most, RankSize rank, std::int64_t wanted);

// The fewest GPUs, as a limit, with which so many ranks find room; nothing: they never do.
[[nodiscard]] std::optional<std::int64_t> gpus_for_ranks(const std::vector<std::int64_t>& sizes, RankSize rank,
                                                         std::int64_t wanted);

}  // namespace reprise::controllers::rentable
