#include "simulator/api_server/store/writer.h"

#include <algorithm>
#include <utility>

#include "simulator/api_server/store/deletion.h"
#include "simulator/api_server/store/editable.h"
#include "simulator/api_server/store/equality.h"
#include "simulator/api_server/store/metadata.h"

namespace reprise::simulator {
namespace {

// True when a member changed that metadata.generation counts.
bool wanted_differs(const ResourceType& type, const Value& before, const Value& after) {
  const auto counted = [&](std::string_view member) {
    return member != "metadata" && member != "apiVersion" && member != "kind" &&
           !(type.status_subresource && member == "status");
  };
  const JsonObject& old = before.get_object();
  const JsonObject& now = after.get_object();
  for (const auto& [member, value] : now) {
    if (!counted(member)) continue;
    const Value* was = old.if_contains(member);
    if (was == nullptr || !equal(*was, value)) return true;
  }
  for (const auto& [member, value] : old) {
    if (counted(member) && !now.contains(member)) return true;
  }
  return false;
}

}  // namespace

Writer::Writer(Store& store, const Kinds& kinds, const runtime::Clock& clock, runtime::Random& random)
    : store_(store),
      kinds_(kinds),
      clock_(clock),
      random_(random),
      around_{clock,
              [this](std::string_view group, std::string_view plural, std::string_view key) -> VersionPtr {
                const auto resource = kinds_.find(group, plural);
                return resource ? store_.get(*resource, key) : nullptr;
              }},
      namespaces_(*kinds.find("", "namespaces")),
      limits_(store, kinds, clock) {}

std::string Writer::key_of_object(const Value& object) {
  return key_of(namespace_of(object), name_of(object));
}

Answer<void> Writer::admit_to_namespace(const ResourceType& type, std::string_view namespace_,
                                        const Value& object) const {
  const VersionPtr found = store_.get(namespaces_, namespace_);
  if (!found) return reject(not_found(kinds_.type(namespaces_), namespace_));
  if (!being_deleted(found->object())) return {};
  const std::string name(namespace_);
  return reject(forbidden(
      type, name_of(object), "unable to create new content in namespace " + name + " because it is being terminated",
      {{"NamespaceTerminating", "namespace " + name + " is being terminated", "metadata.namespace"}}));
}

Answer<std::string> Writer::choose_name(ResourceId resource, std::string_view namespace_, Value& object,
                                        runtime::Random& random) {
  constexpr int attempts = 8;
  const std::string base(text(object, {"metadata", "generateName"}));
  if (!name_of(object).empty() || base.empty()) return key_of(namespace_, name_of(object));
  constexpr std::size_t longest_base = 58;
  for (int i = 0; i < attempts; ++i) {
    const std::string name = base.substr(0, longest_base) + name_suffix(random);
    set(object, {"metadata", "name"}, name);
    std::string key = key_of(namespace_, name);
    if (!store_.get(resource, key)) return key;
  }
  return reject(already_exists(kinds_.type(resource), name_of(object)));
}

// Webhooks before quotas; all of them before the name is looked up.
Answer<void> Writer::admit_new(ResourceId resource, const Value& object) const {
  const ResourceType& type = kinds_.type(resource);
  if (webhook_) {
    // A webhook that rejects without a code says 400, and no reason.
    if (auto denial = webhook_(type, object)) {
      return reject({.code = std::max(denial->code, 400),
                     .reason = std::move(denial->reason),
                     .message = std::move(denial->message)});
    }
  }
  if (!type.namespaced) return {};
  return limits_.admit(resource, object);
}

Answer<VersionPtr> Writer::create(ResourceId resource, std::string_view namespace_, Value object,
                                  runtime::Random* drawn_from) {
  runtime::Random& random = drawn_from == nullptr ? random_ : *drawn_from;
  const KindRules& rules = kinds_.rules(resource);
  const ResourceType& type = rules.type();
  if (!object.is_object()) return reject(bad_request("the object provided is no JSON object"));
  object.get_object()["apiVersion"] = type.api_version();
  object.get_object()["kind"] = type.kind;
  tidy_metadata(object);
  if (!text(object, {"metadata", "resourceVersion"}).empty()) {
    return reject({.code = 500, .message = "resourceVersion should not be set on objects to be created"});
  }
  const std::string_view own_namespace = namespace_of(object);
  if (!own_namespace.empty() && own_namespace != namespace_) {
    return reject(bad_request("the namespace of the provided object does not match the namespace sent on the request"));
  }
  if (type.namespaced) set(object, {"metadata", "namespace"}, namespace_);
  const auto key = choose_name(resource, namespace_, object, random);
  if (!key) return reject(key.error());
  if (type.namespaced) {
    if (auto admitted = admit_to_namespace(type, namespace_, object); !admitted) return reject(admitted.error());
  }
  stamp_new_metadata(object, type, clock_.wall(), random);
  limits_.set_defaults(type, object);
  if (auto prepared = rules.prepare_new(around_, object); !prepared) return reject(prepared.error());
  if (auto wrong = wrong_metadata(type, object); !wrong.empty()) {
    return reject(invalid(type, name_of(object), std::move(wrong)));
  }
  if (auto admitted = admit_new(resource, object); !admitted) return reject(admitted.error());
  if (store_.get(resource, *key)) return reject(already_exists(type, name_of(object)));
  return store_.put(resource, *key, std::move(object));
}

Answer<VersionPtr> Writer::update(ResourceId resource, const VersionPtr& current, Value after, Part part) {
  const KindRules& rules = kinds_.rules(resource);
  const ResourceType& type = rules.type();
  const Value& before = current->object();
  const std::string name(name_of(before));
  if (!after.is_object()) return reject(bad_request("the object provided is no JSON object"));
  after.get_object()["apiVersion"] = type.api_version();
  after.get_object()["kind"] = type.kind;
  tidy_metadata(after);
  const std::string_view version = text(after, {"metadata", "resourceVersion"});
  if (!version.empty() && version != "0" && version != text(before, {"metadata", "resourceVersion"})) {
    return reject(modified(type, name));
  }
  carry_over_metadata(before, after);
  auto wrong = wrong_metadata_change(before, after);
  if (auto prepared = rules.prepare_change(around_, before, after, part); !prepared) return reject(prepared.error());
  auto also_wrong = wrong_metadata(type, after);
  wrong.insert(wrong.end(), also_wrong.begin(), also_wrong.end());
  if (!wrong.empty()) return reject(invalid(type, name, std::move(wrong)));
  // A binding chooses the node, and a status reports: neither changes the desired state.
  if (type.generation && part == Part::Main && wanted_differs(type, before, after)) {
    set(after, {"metadata", "generation"}, number(before, {"metadata", "generation"}) + 1);
  }
  const std::string key = key_of_object(before);
  if (ends_with_this_write(rules, after)) {
    // The writer sees the version before the deletion, watchers that of the deletion.
    auto last = std::make_shared<const Version>(after, current->number());
    store_.erase(resource, key, std::move(after));
    return last;
  }
  if (equal(after, before)) return current;
  return store_.put(resource, key, std::move(after));
}

Answer<Removed> Writer::remove(ResourceId resource, const VersionPtr& current, const Removal& how) {
  const KindRules& rules = kinds_.rules(resource);
  const Value& before = current->object();
  if (auto met = preconditions_met(rules.type(), before, how); !met) return reject(met.error());
  const std::string key = key_of_object(before);
  DeletionStep step = begin_deletion(rules, before, how, clock_.wall());
  VersionPtr latest = current;
  if (step.write) latest = store_.put(resource, key, *std::move(step.write));
  if (!step.gone) return Removed{latest, false};
  return Removed{store_.erase(resource, key, editable_copy(latest->object())), true};
}

}  // namespace reprise::simulator
