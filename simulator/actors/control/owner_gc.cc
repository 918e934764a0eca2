#include "simulator/actors/control/owner_gc.h"

#include <algorithm>

#include "simulator/actors/support/finalizers.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";

bool blocks(const Value& object, std::string_view owner_uid) {
  return std::ranges::any_of(array(object, {"metadata", "ownerReferences"}), [&](const Value& each) {
    return text(each, {"uid"}) == owner_uid && flag(each, {"blockOwnerDeletion"});
  });
}

bool refers_to(const Value& object, std::string_view owner_uid) {
  return std::ranges::any_of(array(object, {"metadata", "ownerReferences"}),
                             [&](const Value& each) { return text(each, {"uid"}) == owner_uid; });
}

}  // namespace

OwnerGc::OwnerGc(const World& world) : world_(world), timers_(world.cluster.loop) {
  for (const ObjectChange& change : world_.cluster.api.changes_after(0)) see(change);
  subscription_ = world_.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

ObjectPtr OwnerGc::get(const Object& object) const {
  return world_.cluster.api.get({object.resource, object.namespace_, object.name});
}

void OwnerGc::see(const ObjectChange& change) {
  const Value& value = *change.object;
  // Skips nearly all changes: leases, and other objects without owners and deletion. The collector's knowledge of them
  // stays.
  if (change.change == Change::Modified && array(value, {"metadata", "ownerReferences"}).empty() &&
      !being_deleted(value))
    return;
  const Object object{change.resource, std::string(namespace_of(value)), std::string(name_of(value))};
  const std::string uid(uid_of(value));
  const bool gone = change.change == Change::Deleted;
  const auto& owners = array(value, {"metadata", "ownerReferences"});
  bool owner_missing = false;
  for (const Value& each : owners) {
    const std::string owner(text(each, {"uid"}));
    if (gone)
      dependents_[owner].erase(object);
    else
      dependents_[owner].insert(object);
    owner_missing = owner_missing || !living_.contains(owner);
    // The owner may wait for its dependents to go.
    if (gone) timers_.after(kLatency, [this, owner] { owner_gone(owner); });
  }
  if (!object.namespace_.empty()) {
    if (gone)
      in_namespace_[object.namespace_].erase(object);
    else
      in_namespace_[object.namespace_].insert(object);
    if (gone) {
      const ObjectPtr home = world_.cluster.api.get({world_.kinds.namespaces, "", object.namespace_});
      if (home && being_deleted(*home))
        timers_.after(kLatency, [this, name = object.namespace_] { end_namespace(name); });
    }
  }
  if (gone) {
    living_.erase(uid);
    waiting_.erase(uid);
    if (dependents_.contains(uid)) timers_.after(kLatency, [this, uid] { owner_gone(uid); });
    return;
  }
  living_.insert(uid);
  if (owner_missing) timers_.after(kLatency, [this, object] { judge(object); });
  if (!being_deleted(value)) return;
  if (has_finalizer(value, kForeground) || has_finalizer(value, kOrphan))
    timers_.after(kLatency, [this, object, uid] { owner_going(object, uid); });
  if (object.resource == world_.kinds.namespaces)
    timers_.after(kLatency, [this, name = object.name] { end_namespace(name); });
}

void OwnerGc::owner_gone(const std::string& uid) {
  const auto found = dependents_.find(uid);
  if (found == dependents_.end()) return;
  if (found->second.empty() && !living_.contains(uid)) {
    dependents_.erase(found);
    return;
  }
  if (!living_.contains(uid)) {
    const std::set<Object> dependents = found->second;
    for (const Object& each : dependents) judge(each);
    return;
  }
  // A dependent has gone: its owner may have waited for it.
  if (const auto waiting = waiting_.find(uid); waiting != waiting_.end()) owner_going(Object(waiting->second), uid);
}

// Deletes an object all of whose owners are gone. An owner that is gone while others stand is taken off the list.
void OwnerGc::judge(const Object& object) {
  const ObjectPtr found = get(object);
  if (!found || being_deleted(*found)) return;
  const JsonArray owners = array(*found, {"metadata", "ownerReferences"});
  if (owners.empty()) return;
  std::vector<std::string> gone;
  for (const Value& each : owners)
    if (const std::string uid(text(each, {"uid"})); !living_.contains(uid)) gone.push_back(uid);
  if (gone.empty()) return;
  if (gone.size() < owners.size()) {
    for (const std::string& uid : gone) drop_reference(object, uid);
    return;
  }
  world_.cluster.log.add("garbage collector",
                         "deletes " + world_.cluster.api.type(object.resource).kind + " " + object.name);
  const std::string uid(uid_of(*found));
  static_cast<void>(world_.cluster.api.remove({object.resource, object.namespace_, object.name}, {.uid = uid}));
}

void OwnerGc::owner_going(const Object& owner, const std::string& uid) {
  const ObjectPtr found = get(owner);
  if (!found || uid_of(*found) != uid) return;
  const std::set<Object> dependents = dependents_.contains(uid) ? dependents_[uid] : std::set<Object>{};
  if (has_finalizer(*found, kOrphan)) {
    for (const Object& each : dependents) drop_reference(each, uid);
    remove_finalizer(world_.cluster.api, {owner.resource, owner.namespace_, owner.name}, kOrphan);
    return;
  }
  if (!has_finalizer(*found, kForeground)) return;
  bool waits = false;
  for (const Object& each : dependents) {
    const ObjectPtr dependent = get(each);
    if (!dependent || !refers_to(*dependent, uid)) continue;  // somebody may have taken the reference off
    if (has_another_owner(*dependent, uid)) {
      drop_reference(each, uid);
      continue;
    }
    waits = waits || blocks(*dependent, uid);
    const std::string own(uid_of(*dependent));
    if (!being_deleted(*dependent))
      static_cast<void>(world_.cluster.api.remove({each.resource, each.namespace_, each.name},
                                                  {.uid = own, .propagation = Propagation::Foreground}));
  }
  if (waits)
    waiting_[uid] = owner;
  else
    remove_finalizer(world_.cluster.api, {owner.resource, owner.namespace_, owner.name}, kForeground);
}

bool OwnerGc::has_another_owner(const Value& object, std::string_view owner_uid) const {
  return std::ranges::any_of(array(object, {"metadata", "ownerReferences"}), [&](const Value& each) {
    return text(each, {"uid"}) != owner_uid && living_.contains(std::string(text(each, {"uid"})));
  });
}

void OwnerGc::drop_reference(const Object& object, const std::string& owner_uid) {
  dependents_[owner_uid].erase(object);
  static_cast<void>(world_.cluster.api.update({object.resource, object.namespace_, object.name}, [&](Value& value) {
    JsonArray kept;
    for (const Value& each : array(value, {"metadata", "ownerReferences"}))
      if (text(each, {"uid"}) != owner_uid) kept.push_back(each);
    if (kept.empty())
      unset(value, {"metadata", "ownerReferences"});
    else
      set(value, {"metadata", "ownerReferences"}, std::move(kept));
  }));
}

// Deletes all objects in it; the last that goes calls this again.
void OwnerGc::end_namespace(const std::string& name) {
  const ObjectPtr found = world_.cluster.api.get({world_.kinds.namespaces, "", name});
  if (!found || !being_deleted(*found)) return;
  const std::set<Object> objects = in_namespace_[name];
  bool left = false;
  for (const Object& each : objects) {
    const ObjectPtr object = get(each);
    if (!object) continue;
    left = true;
    if (!being_deleted(*object))
      static_cast<void>(world_.cluster.api.remove({each.resource, each.namespace_, each.name}));
  }
  if (left) return;
  static_cast<void>(world_.cluster.api.update(
      {world_.kinds.namespaces, "", name},
      [](Value& value) {
        set(value, {"spec", "finalizers"}, JsonArray{});
      },
      "finalize"));
}

}  // namespace reprise::simulator
