// Times and lengths of time as people read them.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "runtime/kube/time.h"

namespace reprise::plugin {

// "45s", "5m10s", "3h5m", "2d4h", "40d": two units at most, as kubectl prints ages. Less than nothing is "0s".
[[nodiscard]] std::string length_text(std::chrono::seconds length);
// The time since `then`; empty when it is not known.
[[nodiscard]] std::string age_text(std::optional<kube::Time> then, kube::Time now);

}  // namespace reprise::plugin
