#include "agent/process/run.h"

#include "agent/core/run/run_agent.h"
#include "agent/process/opened_volume.h"
#include "agent/process/reports/report_channel.h"
#include "agent/process/system_host.h"
#include "agent/process/trainer/end_process.h"
#include "protocol/exit_codes.h"

namespace reprise::agent {

int run(const std::vector<std::string>& command) {
  SystemHost host;
  const auto opened = open_volume(host);
  if (!opened) return protocol::kUsageExitCode;
  const auto& [env, volume] = *opened;
  if (env.makes_reports()) {
    host.report_by(std::make_unique<ReportChannel>(ReportChannel::Options{.annotations_file = env.annotations_file,
                                                                          .token_file = env.report_token_file,
                                                                          .first_wait = env.report_period},
                                                   host.clock(), [&host](std::string_view text) { host.say(text); }));
  }
  return end_process(run_agent(env, volume, host, command));
}

}  // namespace reprise::agent
