// The interface for controller authors: a Reconciler is given a key and a context, looks at caches, decides, and writes
// through the context.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/object_key.h"
#include "runtime/base/write_permit.h"
#include "runtime/client/client.h"
#include "runtime/events/events.h"
#include "runtime/kube/meta.h"

namespace reprise::runtime {

// The result of a reconcile: wait until something changes, or look again after a while.
struct Next {
  std::optional<Duration> after;
  std::optional<Error> error;
  // Work begun for the key is not finished: when the key wakes next, it goes before keys for which nothing was begun
  // (Priority::Underway). Not together with an error.
  bool underway = false;
  [[nodiscard]] static Next done() { return {}; }
  [[nodiscard]] static Next in(Duration delay) { return {.after = delay, .error = {}}; }
  // Returns at once when `time` is past.
  [[nodiscard]] static Next at(WallTime time, const Clock& clock) {
    const auto delay = std::chrono::ceil<Duration>(time - clock.wall());
    return in(std::max(delay, Duration{1}));
  }
  // Like an error that is returned, but the key comes back at `time` at the latest: for work that is due then despite
  // the failure. A time in the past is the work that failed, and comes back as the error does.
  [[nodiscard]] static Next failed(Error error, std::optional<WallTime> time, const Clock& clock) {
    Next next = time && *time > clock.wall() ? at(*time, clock) : done();
    next.error = std::move(error);
    return next;
  }
};

// The cluster as one reconcile may touch it: one call, one thread. Every write takes a fresh permit, and is remembered
// for the owner: its next reconcile waits until the caches show the write, also after an error, also when the write's
// answer was lost (Unavailable). The invariants are in runtime/cache/watch/watermarks.h.
class ReconcileContext {
 public:
  virtual ~ReconcileContext() = default;

  [[nodiscard]] virtual const Clock& clock() const = 0;
  // Carries the fields controller, namespace, name and reconcileID.
  [[nodiscard]] virtual Logger& logger() = 0;
  // NoPermit once this process does not lead any more.
  [[nodiscard]] virtual Result<WritePermit> permit() = 0;
  [[nodiscard]] virtual EventRecorder& events() = 0;
  // When this call's time is up; no request begins after it or lasts beyond it.
  [[nodiscard]] virtual Instant deadline() const = 0;
  // The API server, past the cache, for requests that the calls below do not cover: lists of kinds that no informer
  // follows. Its calls end at the deadline, and with Cancelled when the process has to end. Writes through it are not
  // remembered: use create(), patch() and remove().
  [[nodiscard]] virtual Client& client() = 0;
  // The uid of the object being reconciled: call it before the first write.
  virtual void set_owner(std::string_view uid) = 0;

  // AlreadyExists when the name is taken. `T` as the server made it.
  template <class T>
  [[nodiscard]] Result<T> create(const std::string& ns, std::string body) {
    return written<T>(ns, create_json(kube::KindOf<T>::info(), ns, std::move(body)));
  }
  // Conflict when a resourceVersion or a `test` in the patch does not hold.
  template <class T>
  [[nodiscard]] Result<T> patch(const std::string& ns, const std::string& name, PatchType type, std::string body,
                                std::string_view subresource = {}) {
    return written<T>(ns, patch_json(kube::KindOf<T>::info(), ns, name, type, std::move(body), subresource));
  }
  // Deletes the object only if it is still the one given: uid and resourceVersion are preconditions unless `options`
  // sets them (to "" for none). Gone already is success; Conflict when it is not the same any more.
  template <class T>
  [[nodiscard]] Result<void> remove(const T& object, DeleteOptions options = {}) {
    return remove_object(kube::KindOf<T>::info(), object.meta, std::move(options));
  }
  // Reads from the API server, past the cache. Empty when there is none.
  template <class T>
  [[nodiscard]] Result<std::optional<T>> read_live(const std::string& ns, const std::string& name) {
    auto json = get_json(kube::KindOf<T>::info(), ns, name);
    if (!json) {
      if (json.error().error_class == ErrorClass::NotFound) return std::optional<T>();
      return std::unexpected(std::move(json.error()));
    }
    auto object = decoded<T>(*json);
    if (!object) return std::unexpected(std::move(object.error()));
    return std::optional<T>(*std::move(object));
  }

 protected:
  [[nodiscard]] virtual Result<std::string> create_json(const kube::KindInfo& kind, const std::string& ns,
                                                        std::string body) = 0;
  [[nodiscard]] virtual Result<std::string> patch_json(const kube::KindInfo& kind, const std::string& ns,
                                                       const std::string& name, PatchType type, std::string body,
                                                       std::string_view subresource) = 0;
  [[nodiscard]] virtual Result<void> remove_object(const kube::KindInfo& kind, const kube::ObjectMeta& meta,
                                                   DeleteOptions options) = 0;
  [[nodiscard]] virtual Result<std::string> get_json(const kube::KindInfo& kind, const std::string& ns,
                                                     const std::string& name) = 0;
  // Sets the watermark for read-your-writes.
  virtual void remember_write(const kube::KindInfo& kind, const std::string& ns,
                              const std::string& resource_version) = 0;

 private:
  template <class T>
  [[nodiscard]] static Result<T> decoded(std::string_view json) {
    auto object = kube::KindOf<T>::decode(json);
    if (object) return *std::move(object);
    return fail(ErrorClass::Terminal, "the server's " + std::string(kube::KindOf<T>::info().kind) +
                                          " does not decode: " + object.error().path + ": " + object.error().message);
  }
  template <class T>
  [[nodiscard]] Result<T> written(const std::string& ns, Result<std::string> json) {
    if (!json) return std::unexpected(std::move(json.error()));
    auto object = decoded<T>(*json);
    if (object) remember_write(kube::KindOf<T>::info(), ns, object->meta.resource_version);
    return object;
  }
};

// Called by several threads at once, but never twice for one key. An error's class decides what follows: Terminal is
// logged and waits for a change of the object; Cancelled is dropped in silence, as is NoPermit in a process that does
// not lead; Conflict, and NoPermit in one that does, come back soon; all others come back with exponential backoff, not
// before the error's retry_after. Invalid is among these: webhooks, policies and quotas change without the object.
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  [[nodiscard]] virtual Result<Next> reconcile(ReconcileContext& context, const ObjectKey& key) = 0;

  // For a reconciler that keeps a status back, to write it together with the next one. When the process ends in order,
  // held_back() names the keys with such a status, the most needed first; write_back() is called for each while the
  // lease is still held, by several threads, as long as there is time. No key is in work any more then.
  [[nodiscard]] virtual std::vector<ObjectKey> held_back() { return {}; }
  [[nodiscard]] virtual Result<void> write_back(ReconcileContext&, const ObjectKey&) { return {}; }
};

}  // namespace reprise::runtime
