// Tells if a torn checkpoint is no longer needed: a person may want to look at it, and it may be whole in a layout that
// nobody here knows, until a newer one is there that can stand for it. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "agent/core/generations/plan_pruning.h"

namespace reprise::agent {

// Never where the name does not say its step.
// `path`: what it was called below the root. Some generation that the attempt `since` or a later one has made is
// durable and whole, and has that part: in the same place, named alike but for its step.
[[nodiscard]] bool is_outlived(const std::string& path, std::int32_t since, const PruneQuestion& question);

}  // namespace reprise::agent
