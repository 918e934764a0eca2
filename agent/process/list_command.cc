#include "agent/process/list_command.h"

#include "agent/core/aside/list_checkpoints.h"
#include "agent/process/opened_volume.h"
#include "agent/process/system_host.h"
#include "agent/process/trainer/end_process.h"
#include "protocol/exit_codes.h"

namespace reprise::agent {

int list_checkpoints() {
  SystemHost host;
  auto opened = open_volume(host);
  if (!opened) return protocol::kUsageExitCode;
  return end_process(list_for_operator(opened->env, std::move(opened->volume), host));
}

}  // namespace reprise::agent
