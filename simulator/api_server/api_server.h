// A Kubernetes API server without sockets, storage and authentication: objects, versions, watches.
//
// The server has two faces. The wire face takes the requests a client sends and gives the answers a kube-apiserver
// gives: status codes, Status objects, list and watch frames, all in JSON. The direct face serves the cluster's own
// actors with the same rules (admission, preconditions, finalizers, graceful deletion, generation) and without text.
// tests/contract holds these promises against the real kube-apiserver.
//
// One thread. No call waits: the caller decides how much time passes on the wire.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/random.h"
#include "runtime/http/transport.h"
#include "simulator/api_server/schema/resource_type.h"
#include "simulator/base/json.h"

namespace reprise::simulator {

class KindRules;

struct ObjectAddress {
  ResourceId resource;          // from ApiServer::resource()
  std::string_view namespace_;  // empty for cluster-scoped kinds
  std::string_view name;
};

enum class Change { Added, Modified, Deleted };

// One entry of the store's history.
struct ObjectChange {
  std::uint64_t version = 0;
  ResourceId resource;
  Change change = Change::Added;
  ObjectPtr object;  // Deleted: the last state, with the version of the deletion
  ObjectPtr before;  // nullptr for Added
};

enum class Propagation { Default, Background, Foreground, Orphan };

struct Removal {
  std::optional<std::int64_t> grace_seconds = {};
  std::string_view uid = {}, resource_version = {};  // preconditions; empty: none
  Propagation propagation = Propagation::Default;
};

// A watch as the client opened it: frames are taken when the wire has time for them.
class WatchCursor {
 public:
  virtual ~WatchCursor() = default;
  // The next line of the answer (without its end of line); nothing: none yet, or ended().
  [[nodiscard]] virtual std::optional<std::string> next() = 0;
  // A bookmark at the version up to which all was delivered; nothing when the client did not allow bookmarks.
  [[nodiscard]] virtual std::optional<std::string> bookmark() = 0;
  // True after an ERROR frame (410: its version was compacted) or the client's timeoutSeconds.
  [[nodiscard]] virtual bool ended() const = 0;
};

// The answer of an admission webhook that rejects an object.
struct Denial {
  int code = 0;        // 0: it did not say
  std::string reason;  // empty: likewise
  std::string message;
};
// Empty: the webhook lets the object pass.
using Webhook = std::function<std::optional<Denial>(const ResourceType& type, const Value& object)>;

struct WatchAnswer {
  int status = 200;
  std::string rejection;                // a Status object when status is not 200
  std::unique_ptr<WatchCursor> cursor;  // set when status is 200
};

class ApiServer {
 public:
  // Both outlive it.
  ApiServer(const runtime::Clock& clock, runtime::Random& random);
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // Built-in kinds that Reprise and its actors use are known from the start (resource_type.cc). Adds the kinds of a
  // CustomResourceDefinition: schema defaults, pruning and validation, status subresource; CEL rules are not evaluated.
  // Invalid: names the mistake.
  runtime::Result<void> add_custom_resource(std::string_view crd_yaml);
  // Likewise, for a definition that was read before (custom_resource.h): reading takes longer than a short history.
  void add_custom_resource(std::shared_ptr<const KindRules> kind);
  // Serves or withdraws a kind on the wire alone: a kind that is not served is answered 404 and missing from discovery;
  // its watches end. Its objects stay, and so does the direct face.
  void serve(ResourceId resource, bool served);
  // Asking for a kind that is not known is a defect of the caller: std::out_of_range.
  [[nodiscard]] ResourceId resource(std::string_view group, std::string_view plural) const;
  [[nodiscard]] const ResourceType& type(ResourceId resource) const;

  // ---- wire face
  // Everything but watches. `user` is named in nothing but messages.
  [[nodiscard]] runtime::Response handle(const runtime::Request& request);
  [[nodiscard]] static bool is_watch(const runtime::Request& request);
  [[nodiscard]] WatchAnswer watch(const runtime::Request& request);

  // ---- direct face
  [[nodiscard]] ObjectPtr get(const ObjectAddress& address) const;  // nullptr: not there
  // Returns the objects in order of namespace and name.
  [[nodiscard]] std::vector<ObjectPtr> list(ResourceId resource) const;
  [[nodiscard]] std::vector<ObjectPtr> list(ResourceId resource, std::string_view namespace_) const;
  // Requires that its namespace is there, as `default` and kube-* are from the start. NotFound, AlreadyExists, Invalid,
  // Forbidden. `drawn_from`: random numbers for its uid and a generated name; nullptr: the server's own.
  runtime::Result<ObjectPtr> create(ResourceId resource, Value object, runtime::Random* drawn_from = nullptr);
  // Read, change, write in one step: no conflict is possible. `subresource` "": all but status; "status": status, and
  // metadata of built-in kinds; "finalize": spec.finalizers of a namespace. An unchanged object is not written. Where
  // the last finalizer of a deleted object goes, the object goes: the answer is its last state. NotFound, Invalid.
  runtime::Result<ObjectPtr> update(const ObjectAddress& address, const std::function<void(Value&)>& change,
                                    std::string_view subresource = {});
  runtime::Result<void> remove(const ObjectAddress& address, const Removal& how = {});
  // Called for each object that is created from now on; empty: no webhook.
  void set_webhook(Webhook webhook);
  // pods/binding
  runtime::Result<void> bind(std::string_view namespace_, std::string_view pod, std::string_view node);

  // The store's version. A new store holds the objects of every cluster: the namespaces default and kube-*, the classes
  // system-*.
  [[nodiscard]] std::uint64_t version() const;
  // All changes after `version` that are still remembered.
  [[nodiscard]] std::vector<ObjectChange> changes_after(std::uint64_t version) const;
  // Called after each change, inside the call that made it: only to schedule work. Keep the handle.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };
  [[nodiscard]] std::unique_ptr<Subscription> subscribe(std::function<void(const ObjectChange&)> on_change);
  // Changes of one kind alone.
  [[nodiscard]] std::unique_ptr<Subscription> subscribe(ResourceId resource,
                                                        std::function<void(const ObjectChange&)> on_change);
  // Forgets the history up to now: watches and lists that ask for older versions get 410.
  void compact();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reprise::simulator
