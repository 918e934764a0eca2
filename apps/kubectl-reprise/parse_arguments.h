// From argv to a command of the table and what it was called with.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "apps/common/usage_text.h"
#include "apps/kubectl-reprise/command.h"

namespace reprise::plugin {

struct Called {
  const Command* command = nullptr;
  Arguments arguments;
};

// Global flags may stand before the command. What --help and "help [COMMAND]" print is a text that is no error.
[[nodiscard]] std::expected<Called, apps::UsageText> parse_arguments(const std::vector<std::string>& arguments);

}  // namespace reprise::plugin
