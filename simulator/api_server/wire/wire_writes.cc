#include "simulator/api_server/wire/wire_writes.h"

#include <utility>

#include "simulator/api_server/patch/patch_json.h"
#include "simulator/api_server/patch/patch_merge.h"
#include "simulator/api_server/pods/events.h"
#include "simulator/api_server/pods/pods.h"
#include "simulator/api_server/store/editable.h"
#include "simulator/api_server/wire/wire_body.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view merge_patch = "application/merge-patch+json", json_patch = "application/json-patch+json";

std::string text_of(const Version& version, Shape shape) {
  std::string text;
  append(text, version, shape);
  return text;
}

Answer<Part> part_of(const ResourceType& type, std::string_view subresource) {
  if (subresource.empty()) return Part::Main;
  if (subresource == "status" && type.status_subresource) return Part::Status;
  if (subresource == "finalize" && type.plural == "namespaces" && type.group.empty()) return Part::Finalize;
  return reject(no_such_path());
}

Answer<VersionPtr> current_of(ServerState& state, const WireRequest& asked) {
  VersionPtr current = state.store.get(asked.resource, asked.key());
  if (!current) return reject(not_found(state.kinds.type(asked.resource), asked.route.name));
  return current;
}

Answer<Written> changed(ServerState& state, const WireRequest& asked, const VersionPtr& current, Value after,
                        Part part) {
  const auto written = state.writer.update(asked.resource, current, std::move(after), part);
  if (!written) return reject(written.error());
  return Written{200, text_of(**written, asked.shape)};
}

Answer<void> apply_patch(const WireRequest& asked, Value& target, const Value& patch) {
  const std::string_view type = header(asked.request, "Content-Type");
  if (type == json_patch) return apply_json_patch(target, patch);
  if (!patch.is_object()) return reject(bad_request("error decoding patch: a merge patch is an object"));
  apply_merge_patch(target, patch);
  return {};
}

}  // namespace

Answer<Written> create_object(ServerState& state, const WireRequest& asked) {
  const KindRules& rules = state.kinds.rules(asked.resource);
  auto body = parse_object(rules, asked);
  if (!body) return reject(body.error());
  if (asked.shape.events_group) {
    if (auto wrong = wrong_event(*body); !wrong.empty())
      return reject(invalid(rules.type(), name_of(*body), std::move(wrong)));
  }
  const auto made = state.writer.create(asked.resource, asked.route.namespace_, *std::move(body));
  if (!made) return reject(made.error());
  return Written{201, text_of(**made, asked.shape)};
}

Answer<Written> replace_object(ServerState& state, const WireRequest& asked) {
  const KindRules& rules = state.kinds.rules(asked.resource);
  const ResourceType& type = rules.type();
  const auto part = part_of(type, asked.route.subresource);
  if (!part) return reject(part.error());
  auto body = parse_object(rules, asked);
  if (!body) return reject(body.error());
  if (const std::string_view name = name_of(*body); name != asked.route.name) {
    return reject(bad_request(name.empty() ? "name must be provided"
                                           : "the name of the object (" + std::string(name) +
                                                 ") does not match the name on the URL (" + asked.route.name + ")"));
  }
  const auto current = current_of(state, asked);
  if (!current) return reject(current.error());
  if (const std::string_view uid = uid_of(*body), is = uid_of((*current)->object()); !uid.empty() && uid != is) {
    return reject(conflict(
        type, asked.route.name,
        "Precondition failed: UID in precondition: " + std::string(uid) + ", UID in object meta: " + std::string(is)));
  }
  if (rules.is_custom() && text(*body, {"metadata", "resourceVersion"}).empty()) {
    ResourceType by_plural = type;
    by_plural.kind = type.plural;
    return reject(invalid(by_plural, asked.route.name,
                          {invalid_value("metadata.resourceVersion", "0", "must be specified for an update")}));
  }
  return changed(state, asked, *current, *std::move(body), *part);
}

Answer<Written> patch_object(ServerState& state, const WireRequest& asked) {
  const std::string_view content = header(asked.request, "Content-Type");
  if (content != merge_patch && content != json_patch) {
    return reject(unsupported_media_type());
  }
  const auto part = part_of(state.kinds.type(asked.resource), asked.route.subresource);
  if (!part) return reject(part.error());
  const auto patch = parse_body(asked);
  if (!patch) return reject(patch.error());
  const auto current = current_of(state, asked);
  if (!current) return reject(current.error());
  Value after = asked.shape.events_group ? to_events_group((*current)->object()) : editable_copy((*current)->object());
  if (auto applied = apply_patch(asked, after, *patch); !applied) return reject(applied.error());
  if (const std::string_view name = name_of(after); name != asked.route.name) {
    return reject(bad_request("the name of the object (" + std::string(name) +
                              ") does not match the name on the URL (" + asked.route.name + ")"));
  }
  if (namespace_of(after) != asked.route.namespace_) {
    return reject(bad_request("the namespace of the provided object does not match the namespace sent on the request"));
  }
  if (asked.shape.events_group) after = to_core_event(std::move(after));
  return changed(state, asked, *current, std::move(after), *part);
}

Answer<Written> delete_object(ServerState& state, const WireRequest& asked) {
  const KindRules& rules = state.kinds.rules(asked.resource);
  const auto how = parse_removal(asked);
  if (!how) return reject(how.error());
  const auto current = current_of(state, asked);
  if (!current) return reject(current.error());
  const auto removed = state.writer.remove(asked.resource, *current, how->removal());
  if (!removed) return reject(removed.error());
  // Only the old form of the option is answered with 202.
  const bool waits = !removed->gone && how->asked_to_collect;
  if (removed->gone && !rules.deletion_shows_object()) {
    return Written{200, success_status(rules.type(), asked.route.name, uid_of(removed->object->object()))};
  }
  return Written{waits ? 202 : 200, text_of(*removed->object, asked.shape)};
}

Answer<Written> bind_pod(ServerState& state, const WireRequest& asked) {
  const auto body = parse_body(asked);
  if (!body) return reject(body.error());
  const auto current = current_of(state, asked);
  if (!current) return reject(current.error());
  auto bound = bound_pod(state.kinds.type(asked.resource), (*current)->object(), text(*body, {"target", "name"}),
                         state.clock.wall());
  if (!bound) return reject(bound.error());
  const auto written = state.writer.update(asked.resource, *current, *std::move(bound), Part::Binding);
  if (!written) return reject(written.error());
  return Written{201, created_status()};
}

}  // namespace reprise::simulator
