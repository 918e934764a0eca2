// events.k8s.io/v1: what happened to an object, for people. Recording never blocks and may drop Events; dropped ones
// are counted (reprise_events_dropped_total).
//
// Repeats (same object, type, reason, action and note) become a series on one Event. However fast something repeats, a
// series is written at its 1st, 2nd, 3rd, 5th and 10th occurrence, then at most every 6 minutes, and a last time when
// it is over: 6 minutes without a repeat, or at the end of the process. One object gets at most 25 new Events of one
// reason at once, then one every 5 minutes.
#pragma once

#include <memory>
#include <string>

#include "runtime/base/executor.h"
#include "runtime/base/log.h"
#include "runtime/base/random.h"
#include "runtime/base/write_permit.h"
#include "runtime/client/client.h"
#include "runtime/kube/meta.h"
#include "runtime/metrics/metrics.h"

namespace reprise::runtime {

enum class EventType { Normal, Warning };

// Callable from any thread.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  // `reason` and `action` are UpperCamelCase (at most 128 characters); `note` is a sentence, cut at 1 KiB.
  virtual void record(const kube::KindInfo& kind, const kube::ObjectMeta& regarding, EventType type, std::string reason,
                      std::string action, std::string note) = 0;

  template <class T>
  void record(const T& regarding, EventType type, std::string reason, std::string action, std::string note) {
    record(kube::KindOf<T>::info(), regarding.meta, type, std::move(reason), std::move(action), std::move(note));
  }
};

struct EventOptions {
  std::string controller;          // reportingController
  std::string instance;            // reportingInstance: the pod
  std::size_t queue_limit = 1000;  // Events and counts that wait to be written, for the first time or again
  Duration series_after{360'000};  // a series that long without a repeat is over
};

// Sends in the background from the executor's thread, one at a time. An Event that the server cannot take now (5xx,
// 429, no connection) is tried 5 times, 1 to 16 s apart; the others go on meanwhile, unless the server says when to
// come back. A rejected Event (403 in a namespace that is going away) is dropped. An Event that is gone from the server
// is made anew, as one of the 25.
class ApiEventRecorder final : public EventRecorder {
 public:
  ApiEventRecorder(EventOptions options, Client& client, const PermitSource& permits, Executor& executor,
                   const Clock& clock, Random& random, MetricsRegistry& metrics, Logger& logger);
  ~ApiEventRecorder() override;
  ApiEventRecorder(const ApiEventRecorder&) = delete;
  ApiEventRecorder& operator=(const ApiEventRecorder&) = delete;

  using EventRecorder::record;
  void record(const kube::KindInfo& kind, const kube::ObjectMeta& regarding, EventType type, std::string reason,
              std::string action, std::string note) override;
  // `done` runs on the executor's thread when all that was recorded so far, counts of series too, has been sent or
  // dropped. Takes as long as the server does: a caller that cannot wait gives up.
  void flush(std::function<void()> done);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::runtime
