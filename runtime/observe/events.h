// events.k8s.io/v1: what happened to an object, for people. Repeats become a series on one Event. Recording never
// blocks and may drop: when too many wait, or when this process may not write.
#pragma once

#include <memory>
#include <string>

#include "api/meta.h"
#include "runtime/base/executor.h"
#include "runtime/base/log.h"
#include "runtime/base/random.h"
#include "runtime/client/client.h"
#include "runtime/leader/permit.h"
#include "runtime/observe/metrics.h"

namespace reprise::runtime {

enum class EventType { Normal, Warning };

// Callable from any thread.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  // `reason` and `action` are UpperCamelCase (at most 128 characters); `note` is a sentence, cut at 1 KiB.
  virtual void record(const api::KindInfo& kind, const api::ObjectMeta& regarding, EventType type, std::string reason,
                      std::string action, std::string note) = 0;

  template <class T>
  void record(const T& regarding, EventType type, std::string reason, std::string action, std::string note) {
    record(api::KindOf<T>::info(), regarding.meta, type, std::move(reason), std::move(action), std::move(note));
  }
};

struct EventOptions {
  std::string controller = "reprise.dev/operator";  // reportingController
  std::string instance;                             // reportingInstance: the pod
  std::size_t queue_limit = 1000;
  Duration series_after{360'000};  // a series that long without a repeat is over
};

// Sends in the background from the executor's thread.
class ApiEventRecorder final : public EventRecorder {
 public:
  ApiEventRecorder(EventOptions options, Client& client, const PermitSource& permits, Executor& executor,
                   const Clock& clock, Random& random, MetricsRegistry& metrics, Logger& logger);
  ~ApiEventRecorder() override;
  ApiEventRecorder(const ApiEventRecorder&) = delete;
  ApiEventRecorder& operator=(const ApiEventRecorder&) = delete;

  using EventRecorder::record;
  void record(const api::KindInfo& kind, const api::ObjectMeta& regarding, EventType type, std::string reason,
              std::string action, std::string note) override;
  // `done` runs on the executor's thread when all that was recorded so far has been sent or dropped.
  void flush(std::function<void()> done);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::runtime
