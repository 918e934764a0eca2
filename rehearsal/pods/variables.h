// Environment of a container as a kubelet makes it: values, references to the pod's fields, and $(NAME) in both.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/base/json.h"

namespace reprise::rehearsal {

using Variables = std::vector<std::pair<std::string, std::string>>;  // in order; a name occurs once

[[nodiscard]] const std::string* value_of(const Variables& variables, std::string_view name);
// The environment of this process.
[[nodiscard]] Variables own_environment();
// Replaces or appends.
void set_variable(Variables& variables, std::string_view name, std::string value);

// "$(NAME)" by its value where that is known, "$$" by "$"; everything else stays.
[[nodiscard]] std::string expanded(std::string_view text, const Variables& variables);

// "metadata.uid", "metadata.annotations['a']", "spec.nodeName", "status.podIP"; empty when there is none.
[[nodiscard]] std::string pod_field(const simulator::Value& pod, std::string_view path);

// The container's `env`. A reference to a ConfigMap or Secret, which a rehearsal has none of, gives the caller's own
// variable of that name, or none at all; its name is added to `missing` then.
[[nodiscard]] Variables container_environment(const simulator::Value& pod, const simulator::Value& container,
                                              const Variables& machine, std::vector<std::string>& missing);

// The file that a downward API volume shows for labels or annotations: key="value", a line each, sorted.
[[nodiscard]] std::string downward_map(const simulator::JsonObject& map);

}  // namespace reprise::rehearsal
