#include "simulator/api_server/api_server.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "simulator/api_server/pods/pods.h"
#include "simulator/api_server/schema/custom_resource.h"
#include "simulator/api_server/store/editable.h"
#include "simulator/api_server/store/state.h"
#include "simulator/api_server/wire/rejection.h"

namespace reprise::simulator {
namespace {

runtime::Result<ObjectPtr> object_result(const Answer<VersionPtr>& answer) {
  if (!answer) return std::unexpected(to_error(answer.error()));
  return object_of(*answer);
}

template <class T>
runtime::Result<void> void_result(const Answer<T>& answer) {
  if (!answer) return std::unexpected(to_error(answer.error()));
  return {};
}

Part part_of(std::string_view subresource) {
  if (subresource == "status") return Part::Status;
  if (subresource == "finalize") return Part::Finalize;
  return Part::Main;
}

Value priority_class(std::string_view name, std::int64_t value) {
  return {{"metadata", {{"name", name}}}, {"value", value}, {"preemptionPolicy", "PreemptLowerPriority"}};
}

// Makes the objects of every cluster, before any request.
void bootstrap(Kinds& kinds, Writer& writer) {
  const ResourceId namespaces = *kinds.find("", "namespaces");
  for (const char* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    (void)writer.create(namespaces, {}, {{"metadata", {{"name", name}}}});
  }
  const ResourceId classes = *kinds.find("scheduling.k8s.io", "priorityclasses");
  (void)writer.create(classes, {}, priority_class("system-cluster-critical", 2'000'000'000));
  (void)writer.create(classes, {}, priority_class("system-node-critical", 2'000'001'000));
}

}  // namespace

ApiServer::ApiServer(const runtime::Clock& clock, runtime::Random& random)
    : state_(std::make_unique<State>(clock, random)) {
  bootstrap(state_->kinds, state_->writer);
}

ApiServer::~ApiServer() = default;

runtime::Result<void> ApiServer::add_custom_resource(std::string_view crd_yaml) {
  auto kind = read_custom_resource(crd_yaml);
  if (!kind) return std::unexpected(kind.error());
  add_custom_resource(*std::move(kind));
  return {};
}

void ApiServer::add_custom_resource(std::shared_ptr<const KindRules> kind) {
  state_->kinds.add(std::move(kind));
}

ResourceId ApiServer::resource(std::string_view group, std::string_view plural) const {
  const auto found = state_->kinds.find(group, plural);
  if (!found) throw std::out_of_range("no kind " + std::string(plural) + "." + std::string(group) + " is served");
  return *found;
}

void ApiServer::serve(ResourceId resource, bool served) {
  state_->kinds.serve(resource, served);
}

const ResourceType& ApiServer::type(ResourceId resource) const {
  return state_->kinds.type(resource);
}

ObjectPtr ApiServer::get(const ObjectAddress& address) const {
  return object_of(state_->store.get(address.resource, key_of(address.namespace_, address.name)));
}

std::vector<ObjectPtr> ApiServer::list(ResourceId resource) const {
  return list(resource, {});
}

std::vector<ObjectPtr> ApiServer::list(ResourceId resource, std::string_view namespace_) const {
  std::vector<ObjectPtr> objects;
  state_->store.each(resource, namespace_, {},
                     [&](const std::string&, const VersionPtr& version) { objects.push_back(object_of(version)); });
  return objects;
}

runtime::Result<ObjectPtr> ApiServer::create(ResourceId resource, Value object, runtime::Random* drawn_from) {
  const std::string ns(namespace_of(object));
  return object_result(state_->writer.create(resource, ns, std::move(object), drawn_from));
}

runtime::Result<ObjectPtr> ApiServer::update(const ObjectAddress& address, const std::function<void(Value&)>& change,
                                             std::string_view subresource) {
  const VersionPtr current = state_->store.get(address.resource, key_of(address.namespace_, address.name));
  if (!current) return std::unexpected(to_error(not_found(type(address.resource), address.name)));
  Value after = editable_copy(current->object());
  change(after);
  return object_result(state_->writer.update(address.resource, current, std::move(after), part_of(subresource)));
}

runtime::Result<void> ApiServer::remove(const ObjectAddress& address, const Removal& how) {
  const VersionPtr current = state_->store.get(address.resource, key_of(address.namespace_, address.name));
  if (!current) return std::unexpected(to_error(not_found(type(address.resource), address.name)));
  return void_result(state_->writer.remove(address.resource, current, how));
}

runtime::Result<void> ApiServer::bind(std::string_view namespace_, std::string_view pod, std::string_view node) {
  const ResourceId pods = resource("", "pods");
  const VersionPtr current = state_->store.get(pods, key_of(namespace_, pod));
  if (!current) return std::unexpected(to_error(not_found(type(pods), pod)));
  auto bound = bound_pod(type(pods), current->object(), node, state_->clock.wall());
  if (!bound) return std::unexpected(to_error(bound.error()));
  return void_result(state_->writer.update(pods, current, *std::move(bound), Part::Binding));
}

void ApiServer::set_webhook(Webhook webhook) {
  state_->writer.set_webhook(std::move(webhook));
}

std::uint64_t ApiServer::version() const {
  return state_->store.version();
}

std::vector<ObjectChange> ApiServer::changes_after(std::uint64_t version) const {
  std::vector<ObjectChange> changes;
  const auto& history = state_->store.history();
  const std::uint64_t first = state_->store.compacted() + 1;
  for (std::uint64_t at = std::max(version + 1, first); at < first + history.size(); ++at) {
    changes.push_back(change_of(history[at - first]));
  }
  return changes;
}

std::unique_ptr<ApiServer::Subscription> ApiServer::subscribe(std::function<void(const ObjectChange&)> on_change) {
  return state_->store.subscribe(std::nullopt, std::move(on_change));
}

std::unique_ptr<ApiServer::Subscription> ApiServer::subscribe(ResourceId resource,
                                                              std::function<void(const ObjectChange&)> on_change) {
  return state_->store.subscribe(resource, std::move(on_change));
}

void ApiServer::compact() {
  state_->store.compact();
}

}  // namespace reprise::simulator
