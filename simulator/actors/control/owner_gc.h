// The garbage collector of owner references: background, foreground, orphan. And the end of namespaces.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "simulator/actors/support/pod_writes.h"
#include "simulator/actors/support/wake.h"

namespace reprise::simulator {

class OwnerGc final : public Actor {
 public:
  explicit OwnerGc(const World& world);

  // The collector works through a queue of changes; in an idle cluster within tenths of a second.
  static constexpr Duration kLatency{300};

 private:
  struct Object {
    ResourceId resource;
    std::string namespace_, name;
    friend auto operator<=>(const Object&, const Object&) = default;
  };
  void see(const ObjectChange& change);
  void owner_gone(const std::string& uid);
  void owner_going(const Object& owner, const std::string& uid);
  void judge(const Object& object);
  void end_namespace(const std::string& name);
  [[nodiscard]] ObjectPtr get(const Object& object) const;
  void drop_reference(const Object& object, const std::string& owner_uid);
  // True when another owner exists.
  [[nodiscard]] bool has_another_owner(const Value& object, std::string_view owner_uid) const;

  World world_;
  std::set<std::string> living_;                        // uids
  std::map<std::string, std::set<Object>> dependents_;  // by the owner's uid
  std::map<std::string, Object> waiting_;               // owners in foreground deletion, by uid
  std::map<std::string, std::set<Object>> in_namespace_;
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
