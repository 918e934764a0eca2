// Chooses which container of a job's template trains. All code that looks at a job asks here.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/resumable_job.h"

namespace reprise::api {

// True for a resource that stands for GPUs, parts of them or their like, by number, memory or cores; a unit of a pool
// is one, too.
[[nodiscard]] bool asks_for_devices(std::string_view resource);
// The same, by number alone.
[[nodiscard]] bool is_device_resource(std::string_view resource);

// Annotation of a rank's pod: the name of its container that trains.
inline constexpr std::string_view kTrainerAnnotation = "reprise.dev/trainer";

struct ContainerOfTemplate {
  std::string_view name;
  bool asks_for_gpus = false;  // by limits or requests: units of the pool (kUnitResource), or devices by their own name
};

struct TrainingChoice {
  std::optional<std::size_t> index;  // the container's; empty: none trains
  std::string problem;               // with an empty index: the sentence that says so, which begins with the field
};

// Chooses the container that is named, else the only one, else the one that alone asks for GPUs. Where none or several
// ask, the first trains in a job without a pool, and none does in a pool, which would be paid for what runs beside the
// trainer.
[[nodiscard]] TrainingChoice choose_training_container(std::span<const ContainerOfTemplate> containers,
                                                       std::string_view named, bool in_pool);

[[nodiscard]] TrainingChoice choose_training_container(const ResumableJob& job);
// nullptr where none trains.
[[nodiscard]] const TemplateContainer* training_container(const ResumableJob& job);

}  // namespace reprise::api
