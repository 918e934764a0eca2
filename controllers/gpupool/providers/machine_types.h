// EC2's machines with NVIDIA's GPUs, as Karpenter labels them: for arithmetic alone. Prices, and the types that
// overlays and the simulator go by, are in catalog.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::controllers::gpupool {

struct MachineType {
  std::string_view name;
  std::string_view gpu_model;   // the value of Karpenter's label
  std::int32_t gpus;            // as EC2 reports them; 0: it reports parts of one, and Karpenter counts none
  std::int64_t gpu_memory_mib;  // each GPU's
  std::int32_t cpus;
  std::int64_t memory_mib;
  std::string_view cpu_maker;
};

[[nodiscard]] std::span<const MachineType> machine_types();
[[nodiscard]] const MachineType* find_machine_type(std::string_view name);
// The whole GPUs of such a machine; nothing: it is not in the table, or has parts of one.
[[nodiscard]] std::optional<std::int32_t> gpus_of_type(std::string_view name);
// The GPUs that such a machine counts as: one, where it has a part of a GPU alone.
[[nodiscard]] std::int32_t counted_gpus(const MachineType& type);

// "g4dn" of g4dn.xlarge.
[[nodiscard]] std::string_view family_of(std::string_view type);

// The values of this label that such a machine may bear: more than one where versions differ. Nothing: the table does
// not say.
[[nodiscard]] std::optional<std::vector<std::string>> label_of(const MachineType& type, std::string_view key);

// The model that was meant by another spelling of its name ("A10G", "nvidia-a10g", "Tesla T4"); empty: none, or the
// name is right.
[[nodiscard]] std::string_view meant_model(std::string_view written);
// A model of which the written name lacks the last letter ("a10" of a10g); empty: none, or the name is right. A newer
// GPU may be called so.
[[nodiscard]] std::string_view model_with_a_letter_more(std::string_view written);
// The type that was meant by a name with capitals, which no type's has ("P4D.24xlarge"); empty: none, or it has none.
[[nodiscard]] std::string_view meant_type(std::string_view written);
[[nodiscard]] bool is_known_model(std::string_view name);

// True when EC2 has reported, or reports, no whole GPU of it, so that Karpenter may rent none for pods that ask for
// GPUs (github.com/aws/karpenter-provider-aws/issues/8368).
[[nodiscard]] bool reports_no_gpu(std::string_view type);

}  // namespace reprise::controllers::gpupool
