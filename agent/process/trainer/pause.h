// `reprise-agent pause`: the command of a standby pod. Holds its place until SIGTERM or SIGINT; reaps what lands on it.
#pragma once

namespace reprise::agent {

[[nodiscard]] int pause_until_terminated();

}  // namespace reprise::agent
