// A credential that a plugin makes: kept until it expires, made anew shortly before and after a 401, once at a time.
// While a valid one is held nobody waits; without one, callers wait for the run that is under way, which is bounded by
// the plugin's timeout. A failure is reported to all callers until the next run, 1 s later, then 2 s, up to a minute.
#pragma once

#include <functional>
#include <memory>

#include "runtime/client/credentials/credentials.h"
#include "runtime/client/credentials/exec_plugin.h"
#include "runtime/metrics/metrics.h"

namespace reprise::runtime {

// Runs the plugin away from the executor's thread.
class ExecRunner {
 public:
  virtual ~ExecRunner() = default;
  // `done` runs on the executor's thread, unless the runner is destroyed before. Not again before it was called.
  virtual void start(std::function<void(ExecOutcome)> done) = 0;
};

// Runs the plugin on a thread of its own per run. Destroying it kills the plugin. `executor` outlives it.
[[nodiscard]] std::unique_ptr<ExecRunner> make_exec_runner(ExecPlugin plugin, Executor& executor);

// `use_certificate` is called with PEM texts before a credential with a certificate is given out. Counts
// rest_client_exec_plugin_call_total{code, call_status}, shows rest_client_exec_plugin_ttl_seconds. All outlive it;
// callers that wait when it is destroyed end with Cancelled.
[[nodiscard]] std::unique_ptr<CredentialSource> make_exec_credential(
    std::unique_ptr<ExecRunner> runner, std::function<void(const ExecAnswer&)> use_certificate, const Clock& clock,
    MetricsRegistry& metrics);

}  // namespace reprise::runtime
