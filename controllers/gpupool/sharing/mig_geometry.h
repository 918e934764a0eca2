// The partitions into which a GPU can be cut (MIG): the profiles of each model, and whether several of them fit on one
// GPU together. Counting slices does not answer that, for a partition starts at some memory slices only: two of 3g
// leave nothing, though one of the seven compute slices is free, and 4g fits beside 3g. Pure; names as NVIDIA's tables
// have them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/gpu_pool.h"

namespace reprise::controllers::gpupool {

// A partition's part of the GPU's memory slices, of which there are eight, or four on small GPUs.
struct MigPlacement {
  std::int32_t size = 0;
  std::span<const std::int32_t> starts = {};
};

struct MigProfile {
  std::string_view name;  // "1g.10gb"
  MigPlacement placement;
};

struct MigGeometry {
  std::string_view model;   // "a100"
  std::int64_t memory_mib;  // the whole GPU's; models of one name differ by it
  std::int32_t memory_slices;
  std::vector<MigProfile> profiles;  // the smallest first

  [[nodiscard]] const MigProfile* find(std::string_view profile) const;
};

// Every GPU that can be partitioned and whose tables are known.
[[nodiscard]] const std::vector<MigGeometry>& mig_geometries();

// The geometries of a model as spec.gpu.models has it ("a100", "nvidia-a100-80gb", "H100"), by its memory where that is
// known.
[[nodiscard]] std::vector<const MigGeometry*> mig_geometries_of(std::string_view model,
                                                                std::optional<std::int64_t> memory_mib = {});

// The start of each partition, in the order of `devices`, each of them as often as its count says. Empty: they do not
// fit, or the GPU has no such profile.
[[nodiscard]] std::optional<std::vector<std::int32_t>> place(const MigGeometry& gpu,
                                                             std::span<const api::MigDevice> devices);
[[nodiscard]] bool fits(const MigGeometry& gpu, std::span<const api::MigDevice> devices);

// How many partitions of one profile a GPU takes; 0 where it has no such profile.
[[nodiscard]] std::int32_t most_of(const MigGeometry& gpu, std::string_view profile);

// "7 of 1g.5gb, 4 of 1g.10gb, ...": what a GPU can be cut into, for messages.
[[nodiscard]] std::string profiles_text(const MigGeometry& gpu);

}  // namespace reprise::controllers::gpupool
