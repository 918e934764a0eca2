// Turns the failure of a system call into an error: "mount /checkpoints: Operation not permitted".
#pragma once

#include <string_view>
#include <system_error>

#include "runtime/base/error.h"

namespace reprise::rehearsal {

[[nodiscard]] inline runtime::Error system_error(std::string_view doing, int error_number) {
  return {.error_class = runtime::ErrorClass::Terminal,
          .message = std::string(doing) + ": " + std::generic_category().message(error_number),
          .retry_after = {},
          .not_sent = false};
}

}  // namespace reprise::rehearsal
