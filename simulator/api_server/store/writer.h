// Every write passes here: create, update, delete with the rules that all kinds share.
#pragma once

#include <functional>
#include <string_view>

#include "runtime/base/clock.h"
#include "runtime/base/random.h"
#include "simulator/api_server/pods/quotas.h"
#include "simulator/api_server/schema/kinds.h"
#include "simulator/api_server/store/store.h"

namespace reprise::simulator {

struct Removed {
  VersionPtr object;  // as it was last, or as it is now
  bool gone = false;  // false: it waits for its grace or its finalizers
};

class Writer {
 public:
  // All outlive it.
  Writer(Store& store, const Kinds& kinds, const runtime::Clock& clock, runtime::Random& random);

  // `namespace_`: the request's; empty for cluster-scoped kinds. `drawn_from`: as in ApiServer::create.
  Answer<VersionPtr> create(ResourceId resource, std::string_view namespace_, Value object,
                            runtime::Random* drawn_from = nullptr);
  // `after` was made from `current`, the stored version. An equal object is not written. An update that removes the
  // last finalizers may let the object go: the answer is its last state.
  Answer<VersionPtr> update(ResourceId resource, const VersionPtr& current, Value after, Part part);
  Answer<Removed> remove(ResourceId resource, const VersionPtr& current, const Removal& how);
  // Called for each object that is created.
  void set_webhook(Webhook webhook) { webhook_ = std::move(webhook); }

 private:
  Answer<void> admit_new(ResourceId resource, const Value& object) const;
  Answer<void> admit_to_namespace(const ResourceType& type, std::string_view namespace_, const Value& object) const;
  Answer<std::string> choose_name(ResourceId resource, std::string_view namespace_, Value& object,
                                  runtime::Random& random);
  [[nodiscard]] static std::string key_of_object(const Value& object);

  Store& store_;
  const Kinds& kinds_;
  const runtime::Clock& clock_;
  runtime::Random& random_;
  Surroundings around_;
  ResourceId namespaces_;
  NamespaceLimits limits_;
  Webhook webhook_;
};

}  // namespace reprise::simulator
