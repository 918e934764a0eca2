#include "agent/process/run.h"

#include <cstdio>
#include <cstdlib>

#include "agent/core/environment.h"
#include "agent/core/run_agent.h"
#include "agent/process/posix_volume.h"
#include "agent/process/report_channel.h"
#include "agent/process/system_host.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {

int run(const std::vector<std::string>& command) {
  SystemHost host;
  const auto env = read_environment(process_environment);
  if (!env) {
    host.say(env.error().message);
    return protocol::kUsageExitCode;
  }
  auto format = make_format(env->format);
  if (!format) {
    host.say(format.error().message);
    return protocol::kUsageExitCode;
  }
  if (env->makes_reports()) {
    host.report_by(std::make_unique<ReportChannel>(ReportChannel::Options{.annotations_file = env->annotations_file,
                                                                          .token_file = env->report_token_file,
                                                                          .first_wait = env->report_period},
                                                   host.clock(), [&host](std::string_view text) { host.say(text); }));
  }
  const auto ended = run_agent(*env, posix_volume(env->checkpoint_dir, std::move(*format)), host, command);
  if (!ended.all_threads) {
    std::fflush(nullptr);
    std::_Exit(ended.exit_code);
  }
  return ended.exit_code;
}

}  // namespace reprise::agent
