// A person's confirmation that a rank has ended, as the operator asks for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simulator/api_server/api_server.h"

namespace reprise::simulator {

// The text that a person has to write; empty when the operator waits for no confirmation.
[[nodiscard]] std::optional<std::string> awaited_confirmation(const Value& job);
void confirm(ApiServer& api, std::string_view namespace_, std::string_view job, const std::string& confirmation);

}  // namespace reprise::simulator
