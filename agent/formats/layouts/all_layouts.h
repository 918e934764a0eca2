// The layouts that this version knows.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "agent/formats/layouts/layout.h"
#include "runtime/base/error.h"

namespace reprise::agent {

// Layouts in the order in which a checkpoint is offered to them: the first that recognises it judges it.
using Layouts = std::vector<std::unique_ptr<Layout>>;

// All for Auto, else the one of that name; an unknown name is an Invalid error that says so and lists the
// known ones, for a caller to put the name of its flag or variable in front. `held`: by the volume.
[[nodiscard]] runtime::Result<Layouts> layouts_named(std::string_view format, HeldParts held = {});

}  // namespace reprise::agent
