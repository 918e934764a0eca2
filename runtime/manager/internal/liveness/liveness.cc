#include "runtime/manager/internal/parts_view.h"

namespace reprise::runtime::internal {
namespace {

// Far beyond the watch's own idle detection: a watch that is silent for so long has lost that.
constexpr Duration silent_limit{300'000};
constexpr Duration late_limit{60'000};

Result<void> watches_alive(const PartsView& parts) {
  for (const auto& informer : parts.informers) {
    for (const WatchStatus& watch : informer->watches()) {
      if (auto alive = check_watch(watch, silent_limit, late_limit); !alive) {
        std::string what = "the watch of " + std::string(informer->kind().plural);
        if (!watch.namespace_.empty()) what += " in " + watch.namespace_;
        return std::unexpected(std::move(alive.error()).with_context(what));
      }
    }
  }
  return {};
}

Result<void> workers_alive(const PartsView& parts) {
  for (const auto& controller : parts.controllers) {
    const StuckCheck& running = controller->running();
    if (auto alive = running.check(); !alive) {
      return std::unexpected(std::move(alive.error()).with_context("controller " + controller->name()));
    }
  }
  return {};
}

}  // namespace

void add_liveness_checks(HealthChecks& liveness, const PartsView& parts) {
  if (parts.elector != nullptr) {
    liveness.add("leaderElection", [elector = parts.elector] { return elector->healthy(); });
    liveness.add("takeover", [catch_up = parts.catch_up] { return catch_up->check(); });
  }
  liveness.add("watches", [parts] { return watches_alive(parts); });
  liveness.add("workers", [parts] { return workers_alive(parts); });
}

}  // namespace reprise::runtime::internal
