#include "controllers/gpupool/sharing/mig_geometry.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

namespace reprise::controllers::gpupool {
namespace {

using Devices = std::vector<api::MigDevice>;

const MigGeometry& only(std::string_view model, std::int64_t memory_mib) {
  const auto found = mig_geometries_of(model, memory_mib);
  EXPECT_EQ(found.size(), 1U) << model;
  return *found.at(0);
}

// Every way to choose up to `most` partitions.
void for_each_choice(const MigGeometry& gpu, int most, const std::function<void(const Devices&)>& visit) {
  Devices chosen;
  const std::function<void(std::size_t, int)> next = [&](std::size_t at, int left) {
    if (at == gpu.profiles.size()) return visit(chosen);
    next(at + 1, left);
    for (int count = 1; count <= left; ++count) {
      chosen.push_back({std::string(gpu.profiles[at].name), count});
      next(at + 1, left - count);
      chosen.pop_back();
    }
  };
  next(0, most);
}

// Goes without a search: all sets of memory slices that may be taken after each further partition.
bool has_a_place(const MigGeometry& gpu, const Devices& devices) {
  std::set<std::uint32_t> taken{0};
  for (const api::MigDevice& device : devices) {
    const MigPlacement& placement = gpu.find(device.profile)->placement;
    for (int i = 0; i < device.count; ++i) {
      std::set<std::uint32_t> after;
      for (const std::uint32_t before : taken)
        for (const int start : placement.starts) {
          std::uint32_t wanted = 0;
          for (int slice = start; slice < start + placement.size; ++slice) wanted |= 1U << static_cast<unsigned>(slice);
          if ((before & wanted) == 0) after.insert(before | wanted);
        }
      taken = std::move(after);
    }
  }
  return !taken.empty();
}

TEST(MigGeometry, a_place_is_found_for_exactly_those_partitions_that_have_one) {
  for (const MigGeometry& gpu : mig_geometries()) {
    int good = 0;
    for_each_choice(gpu, gpu.memory_slices, [&](const Devices& devices) {
      const bool found = fits(gpu, devices);
      good += found ? 1 : 0;
      ASSERT_EQ(found, has_a_place(gpu, devices)) << gpu.model << " " << devices.size();
    });
    EXPECT_GE(good, 10) << gpu.model;
  }
}

TEST(MigGeometry, partitions_start_where_they_may_and_share_no_memory_slice) {
  for (const MigGeometry& gpu : mig_geometries()) {
    for_each_choice(gpu, gpu.memory_slices, [&](const Devices& devices) {
      const auto starts = place(gpu, devices);
      if (!starts) return;
      std::set<int> taken;
      std::size_t at = 0;
      for (const api::MigDevice& device : devices) {
        const MigPlacement& placement = gpu.find(device.profile)->placement;
        for (int i = 0; i < device.count; ++i, ++at) {
          const int start = starts->at(at);
          ASSERT_NE(std::ranges::find(placement.starts, start), placement.starts.end());
          for (int slice = start; slice < start + placement.size; ++slice)
            ASSERT_TRUE(slice < gpu.memory_slices && taken.insert(slice).second) << gpu.model;
        }
      }
      ASSERT_EQ(at, starts->size());
    });
  }
}

TEST(MigGeometry, each_profile_fits_as_often_as_nvidia_says) {
  for (const MigGeometry& gpu : mig_geometries()) {
    const std::vector<int> said = gpu.memory_slices == 8 ? std::vector{7, 4, 3, 2, 1, 1} : std::vector{4, 2, 1};
    ASSERT_EQ(gpu.profiles.size(), said.size());
    for (std::size_t i = 0; i < said.size(); ++i)
      EXPECT_EQ(most_of(gpu, gpu.profiles[i].name), said[i]) << gpu.model << " " << gpu.profiles[i].name;
  }
}

TEST(MigGeometry, the_balanced_layout_fits_every_gpu) {
  for (const MigGeometry& gpu : mig_geometries()) {
    const auto name = [&](std::size_t at) { return std::string(gpu.profiles[at].name); };
    EXPECT_TRUE(gpu.memory_slices == 8 ? fits(gpu, Devices{{name(0), 2}, {name(2), 1}, {name(3), 1}})
                                       : fits(gpu, Devices{{name(0), 2}, {name(1), 1}}))
        << gpu.model;
  }
}

struct Together {
  const char* sentence;
  Devices devices;
  bool fits;
};

TEST(MigGeometry, places_decide_and_not_the_number_of_slices) {
  const Together rows[] = {
      {"three sevenths beside four", {{"3g.20gb", 1}, {"4g.20gb", 1}}, true},
      {"the same the other way round", {{"4g.20gb", 1}, {"3g.20gb", 1}}, true},
      {"two of three leave one compute slice and no memory", {{"3g.20gb", 2}, {"1g.5gb", 1}}, false},
      {"one of three and four of one", {{"3g.20gb", 1}, {"1g.5gb", 4}}, true},
      {"one of four leaves three of one", {{"4g.20gb", 1}, {"1g.5gb", 3}}, true},
      {"and not four, for the last memory slice takes none", {{"4g.20gb", 1}, {"1g.5gb", 4}}, false},
      {"the whole and nothing more", {{"7g.40gb", 1}, {"1g.5gb", 1}}, false},
      {"a profile of a larger GPU", {{"3g.40gb", 1}}, false},
      {"nothing", {}, true},
  };
  const MigGeometry& gpu = only("a100", 40960);
  for (const Together& row : rows) EXPECT_EQ(fits(gpu, row.devices), row.fits) << row.sentence;
}

TEST(MigGeometry, a_model_is_known_by_each_providers_name_and_told_apart_by_its_memory) {
  EXPECT_TRUE(only("a100", 81920).find("1g.20gb"));
  EXPECT_TRUE(only("nvidia-a100-80gb", 81920).find("1g.20gb"));
  EXPECT_TRUE(only("H200", 144384).find("1g.18gb"));
  EXPECT_TRUE(only("b200", 183359).find("1g.23gb"));
  EXPECT_EQ(mig_geometries_of("a100").size(), 2U);
  EXPECT_TRUE(mig_geometries_of("t4").empty());
  EXPECT_TRUE(mig_geometries_of("a10").empty());
}

}  // namespace
}  // namespace reprise::controllers::gpupool
