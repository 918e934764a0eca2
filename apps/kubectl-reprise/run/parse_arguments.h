// Parses argv into a command of the table and its arguments.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "apps/common/usage_text.h"
#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

struct Called {
  const Command* command = nullptr;
  Arguments arguments;
};

// Global flags may stand before the command. The texts of --help and "help [COMMAND]" are no error.
[[nodiscard]] std::expected<Called, apps::UsageText> parse_arguments(const std::vector<std::string>& arguments);

}  // namespace reprise::plugin
