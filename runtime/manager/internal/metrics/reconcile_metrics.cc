#include "runtime/manager/internal/metrics/reconcile_metrics.h"

namespace reprise::runtime::internal {
namespace {

Counter& total(MetricsRegistry& metrics, const std::string& name, const std::string& result) {
  return metrics.counter("controller_runtime_reconcile_total", "Total number of reconciliations per controller",
                         {{"controller", name}, {"result", result}});
}

}  // namespace

ReconcileMetrics::ReconcileMetrics(MetricsRegistry& metrics, const std::string& name, int max_concurrent)
    : success(total(metrics, name, "success")),
      requeue(total(metrics, name, "requeue")),
      requeue_after(total(metrics, name, "requeue_after")),
      error(total(metrics, name, "error")),
      errors(metrics.counter("controller_runtime_reconcile_errors_total",
                             "Total number of reconciliation errors per controller", {{"controller", name}})),
      terminal(metrics.counter("controller_runtime_terminal_reconcile_errors_total",
                               "Total number of terminal reconciliation errors per controller",
                               {{"controller", name}})),
      panics(metrics.counter("controller_runtime_reconcile_panics_total",
                             "Total number of reconciliation panics per controller", {{"controller", name}})),
      timeouts(metrics.counter("controller_runtime_reconcile_timeouts_total",
                               "Total number of reconciliation timeouts per controller", {{"controller", name}})),
      stale_skips(metrics.counter("stale_sync_skips_total",
                                  "Reconciles put off because a cache had not caught up with an own write",
                                  {{"controller", name}})),
      fenced(metrics.counter("controller_runtime_reconcile_fenced_total",
                             "Reconciles of which a write was withheld because its permit had ended",
                             {{"controller", name}})),
      active(metrics.gauge("controller_runtime_active_workers", "Number of currently used workers per controller",
                           {{"controller", name}})),
      seconds(metrics.histogram("controller_runtime_reconcile_time_seconds",
                                "Length of time per reconciliation per controller", {{"controller", name}})) {
  metrics
      .gauge("controller_runtime_max_concurrent_reconciles", "Maximum number of concurrent reconciles per controller",
             {{"controller", name}})
      .set(max_concurrent);
}

}  // namespace reprise::runtime::internal
