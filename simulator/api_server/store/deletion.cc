#include "simulator/api_server/store/deletion.h"

#include <algorithm>
#include <utility>

#include "runtime/kube/time.h"
#include "simulator/api_server/store/editable.h"
#include "simulator/api_server/store/equality.h"
#include "simulator/api_server/store/metadata.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view foreground = "foregroundDeletion", orphan = "orphan";

// The garbage collector does the rest: it waits for these finalizers. True: something changed.
bool set_collector_finalizers(Value& object, Propagation propagation) {
  if (propagation == Propagation::Default) return false;
  const JsonArray before = array(object, {"metadata", "finalizers"});
  JsonArray after;
  for (const Value& finalizer : before) {
    const std::string_view name = text(finalizer, {});
    if (name != foreground && name != orphan) after.push_back(finalizer);
  }
  if (propagation == Propagation::Foreground) after.emplace_back(foreground);
  if (propagation == Propagation::Orphan) after.emplace_back(orphan);
  if (after == before) return false;
  if (after.empty()) {
    unset(object, {"metadata", "finalizers"});
  } else {
    set(object, {"metadata", "finalizers"}, std::move(after));
  }
  return true;
}

void count_generation(Value& object) {
  const std::int64_t generation = number(object, {"metadata", "generation"});
  if (generation > 0) set(object, {"metadata", "generation"}, generation + 1);
}

void set_deletion(Value& object, runtime::WallTime at, std::int64_t grace) {
  set(object, {"metadata", "deletionTimestamp"}, kube::format_time(at));
  set(object, {"metadata", "deletionGracePeriodSeconds"}, grace);
}

enum class Grace { None, Begun, Pending };

// Begins the grace of a kind that goes gracefully. Begun: `object` was changed.
Grace begin_grace(const KindRules& rules, Value& object, const Removal& how, runtime::WallTime now) {
  const auto old_grace = number(object, {"metadata", "deletionGracePeriodSeconds"});
  if (being_deleted(object)) {
    if (!rules.grace_seconds(object, how.grace_seconds) || old_grace == 0) return Grace::None;
    if (!how.grace_seconds || *how.grace_seconds >= old_grace) return Grace::Pending;
    // Only a shorter grace is taken; the time of the end moves with it.
    const auto end = kube::parse_time(text(object, {"metadata", "deletionTimestamp"}));
    const auto began = end.value_or(now) - std::chrono::seconds(old_grace);
    set_deletion(object, began + std::chrono::seconds(*how.grace_seconds), *how.grace_seconds);
    return Grace::Begun;
  }
  const auto grace = rules.grace_seconds(object, how.grace_seconds);
  if (!grace) return Grace::None;
  set_deletion(object, now + std::chrono::seconds(*grace), *grace);
  count_generation(object);
  return Grace::Begun;
}

void mark_without_grace(Value& object, runtime::WallTime now) {
  if (find(object, {"metadata", "deletionGracePeriodSeconds"}) == nullptr) count_generation(object);
  if (!being_deleted(object)) set(object, {"metadata", "deletionTimestamp"}, kube::format_time(now));
  set(object, {"metadata", "deletionGracePeriodSeconds"}, 0);
}

}  // namespace

Answer<void> preconditions_met(const ResourceType& type, const Value& object, const Removal& how) {
  const std::string_view uid = uid_of(object), version = text(object, {"metadata", "resourceVersion"});
  // Names the kind here, unlike elsewhere.
  ResourceType by_kind = type;
  by_kind.plural = type.kind;
  if (!how.uid.empty() && how.uid != uid) {
    return reject(conflict(by_kind, name_of(object),
                           "the UID in the precondition (" + std::string(how.uid) +
                               ") does not match the UID in record (" + std::string(uid) +
                               "). The object might have been deleted and then recreated"));
  }
  if (!how.resource_version.empty() && how.resource_version != version) {
    return reject(conflict(by_kind, name_of(object),
                           "the ResourceVersion in the precondition (" + std::string(how.resource_version) +
                               ") does not match the ResourceVersion in record (" + std::string(version) +
                               "). The object might have been modified"));
  }
  return {};
}

DeletionStep begin_deletion(const KindRules& rules, const Value& object, const Removal& how, runtime::WallTime now) {
  Value marked = editable_copy(object);
  const Grace grace = begin_grace(rules, marked, how, now);
  if (grace == Grace::Pending) return {};
  set_collector_finalizers(marked, how.propagation);
  const bool kept = has_finalizers(marked) || rules.held(marked);
  if (grace == Grace::None) {
    if (!kept) return {.write = {}, .gone = true};
    mark_without_grace(marked, now);
  }
  rules.mark_deleted(marked);
  DeletionStep step;
  step.gone = !kept && number(marked, {"metadata", "deletionGracePeriodSeconds"}) == 0;
  if (!equal(marked, object)) step.write = std::move(marked);
  return step;
}

bool ends_with_this_write(const KindRules& rules, const Value& object) {
  return being_deleted(object) && number(object, {"metadata", "deletionGracePeriodSeconds"}) == 0 &&
         !has_finalizers(object) && !rules.held(object);
}

}  // namespace reprise::simulator
