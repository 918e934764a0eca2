// The shell of the watch machine: follows one collection in one namespace over a Transport and hands its changes to a
// sink. Knows no types.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/executor.h"
#include "runtime/base/log.h"
#include "runtime/base/random.h"
#include "runtime/cache/decoded_objects.h"
#include "runtime/cache/watch/watch_activity.h"
#include "runtime/cache/watch/watch_machine.h"
#include "runtime/cache/watch/watch_request.h"
#include "runtime/http/transport.h"
#include "runtime/kube/memory/interning_pool.h"
#include "runtime/kube/meta.h"
#include "runtime/metrics/metrics.h"

namespace reprise::runtime {

// The surroundings that a watch needs; all outlive it.
struct WatchEnvironment {
  Transport& transport;
  Executor& executor;
  const Clock& clock;
  Random& random;
  Logger& logger;
  MetricsRegistry& metrics;
  WatchPolicy policy = {};
  // Lets the objects of all caches share their equal parts, on the executor's thread; null: each has its own.
  kube::InterningPool* pool = nullptr;
  DecodedObjects* decoded = nullptr;  // null: each object is decoded
};

// Called on the executor's thread.
class ReflectorSink {
 public:
  virtual ~ReflectorSink() = default;
  // Fills in `decoded` and `resource_version`, which lives as long as that; leaves both empty when the object does not
  // decode.
  virtual void decode(WatchEvent& event) = 0;
  // `newest`: see BeginSnapshot.
  virtual void begin_snapshot(bool newest) = 0;
  // `decoded`: as in WatchEvent.
  virtual void add_to_snapshot(const EncodedObject& object, const std::shared_ptr<const void>& decoded) = 0;
  // The object was deleted while the list was still streaming.
  virtual void remove_from_snapshot(const EncodedObject& object) = 0;
  virtual void commit_snapshot(const std::string& resource_version) = 0;
  // The server does not serve the kind.
  virtual void commit_absence() = 0;
  virtual void apply(const WatchEvent& event) = 0;
  virtual void advance(std::string_view resource_version) = 0;
};

// One thread: the executor's, but for status(). Destroying it stops it. `sink` and `rejections` outlive it.
class Reflector {
 public:
  Reflector(WatchEnvironment environment, WatchTarget target, WatchRejections& rejections, ReflectorSink& sink);
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void start();
  void stop();
  // See LookAgain.
  void look_again(bool list);
  // Any thread.
  [[nodiscard]] WatchStatus status() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::runtime
