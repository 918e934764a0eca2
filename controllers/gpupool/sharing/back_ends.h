// The ways to share a GPU, a file each that returns one value; private to this folder. A new one is a value of
// api::SharingMode, a file, and a line in back_ends.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/gpupool/sharing/preparation.h"
#include "controllers/gpupool/sharing/sharing.h"

namespace reprise::controllers::gpupool {

struct BackEnd {
  api::SharingMode mode = api::SharingMode::Exclusive;
  GpuSharing (*share)(const api::Sharing& spec) = nullptr;
  // Says what the pool's GPUs cannot do of it, and what to write instead; null: all GPUs can do all of it.
  std::optional<std::string> (*misfit)(const api::GpuPoolSpec& spec) = nullptr;
  // Every configuration of the device plugin that some pool may have asked for; null: its pools need none.
  std::vector<DevicePluginConfig> (*all_configs)() = nullptr;
  // How far a node is with its GPUs; of one that failed, what is wrong and what to do. Null: nothing has to be done.
  struct Prepared {
    Preparation state = Preparation::Done;
    std::string message = {};
  };
  Prepared (*prepared)(const api::Sharing& spec, const kube::Node& node) = nullptr;
};

[[nodiscard]] std::vector<BackEnd> back_ends();

// The common part of every cut of a GPU into `spec.replicas` slices.
[[nodiscard]] GpuSharing slices(const api::Sharing& spec);

// The form of slices in the device plugin's configuration: "ts-4" with "timeSlicing".
struct Slicing {
  std::string_view key_prefix, strategy;
};
[[nodiscard]] DevicePluginConfig sliced(const Slicing& slicing, std::int32_t replicas);
[[nodiscard]] std::vector<DevicePluginConfig> all_sliced(const Slicing& slicing);

[[nodiscard]] BackEnd exclusive();
[[nodiscard]] BackEnd time_slicing();
[[nodiscard]] BackEnd mps();
[[nodiscard]] BackEnd mig();
[[nodiscard]] BackEnd external();

}  // namespace reprise::controllers::gpupool
