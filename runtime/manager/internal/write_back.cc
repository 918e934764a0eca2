#include "runtime/manager/internal/write_back.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "runtime/manager/internal/exception_boundary.h"
#include "runtime/manager/internal/field_logger.h"
#include "runtime/manager/internal/reconcile_context.h"

namespace reprise::runtime::internal {
namespace {

// A write with an unknown outcome keeps the lease from being given back, and held statuses are not worth that: only an
// error about one object leaves the others a try.
bool ends_all(const Error& error) {
  return error.error_class != ErrorClass::Conflict && error.error_class != ErrorClass::NotFound;
}

}  // namespace

WrittenBack write_back(const std::string& controller, Reconciler& reconciler, const ControllerEnvironment& environment,
                       int most_threads, Duration limit) {
  const std::vector<ObjectKey> keys = reconciler.held_back();
  const Instant begun = environment.clock.steady();
  // A write that is cut off keeps the lease from being given back: the last to begin has half of the time.
  const Instant last_begin = begun + std::max(limit, Duration{0}) / 2, end = begun + limit;
  std::atomic<std::size_t> next{0}, written{0};
  std::atomic<bool> over{false};
  const auto work = [&] {
    while (!over && environment.clock.steady() < last_begin) {
      const std::size_t at = next++;
      if (at >= keys.size()) return;
      FieldLogger logger(environment.logger, controller, keys[at], "shutdown");
      ApiReconcileContext context(environment, logger, end, controller + ":" + to_string(keys[at]));
      const auto done = without_exceptions([&] { return reconciler.write_back(context, keys[at]); }, [] {});
      if (done) {
        ++written;
        continue;
      }
      logger.debug("Failed to write held status at shutdown", {{"error", done.error().message}});
      if (ends_all(done.error())) over = true;
    }
  };
  const bool on_one_thread = environment.cancellation == nullptr || !environment.cancellation->cuts();
  const int wanted = on_one_thread ? 1 : most_threads;
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i < wanted && static_cast<std::size_t>(i) < keys.size(); ++i) threads.emplace_back(work);
    work();
  }
  return {.written = written, .dropped = keys.size() - written};
}

}  // namespace reprise::runtime::internal
