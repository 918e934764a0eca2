// Checks whether a JSON text has the shape of a PodTemplateSpec, as far as rendering touches it.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/kube/meta.h"

namespace reprise::api::internal {

struct TemplateExpectation {
  std::string_view training_container;  // empty: the first
  bool needs_command = false;           // the training container must have a command
  std::vector<std::string_view> reserved_volumes;
  std::vector<std::string_view> reserved_containers;
  // {from, to}: a rename must not meet a name that is there already.
  std::vector<std::pair<std::string, std::string>> resource_names;
};

// The index of the training container.
[[nodiscard]] std::expected<std::size_t, kube::DecodeError> check_template(std::string_view json,
                                                                           const TemplateExpectation& expectation);

}  // namespace reprise::api::internal
