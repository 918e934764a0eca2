#include "runtime/manager/reconcile_context.h"

#include <utility>

namespace reprise::runtime {

Result<void> ApiReconcileContext::in_time() const {
  if (environment_.clock.steady() < deadline_) return {};
  return fail(ErrorClass::Unavailable, "the time for this reconcile is up");
}

Result<WritePermit> ApiReconcileContext::permit() {
  if (auto allowed = in_time(); !allowed) return std::unexpected(std::move(allowed.error()));
  return environment_.permits.permit();
}

Result<std::string> ApiReconcileContext::create_json(const api::KindInfo& kind, const std::string& ns,
                                                     std::string body) {
  auto allowed = permit();
  if (!allowed) return std::unexpected(std::move(allowed.error()));
  return environment_.client.create(*allowed, kind, ns, std::move(body));
}

Result<std::string> ApiReconcileContext::patch_json(const api::KindInfo& kind, const std::string& ns,
                                                    const std::string& name, PatchType type, std::string body,
                                                    std::string_view subresource) {
  auto allowed = permit();
  if (!allowed) return std::unexpected(std::move(allowed.error()));
  return environment_.client.patch(*allowed, kind, ns, name, type, std::move(body), subresource);
}

Result<void> ApiReconcileContext::remove_object(const api::KindInfo& kind, const api::ObjectMeta& meta,
                                                DeleteOptions options) {
  auto allowed = permit();
  if (!allowed) return std::unexpected(std::move(allowed.error()));
  if (!options.uid) options.uid = meta.uid;
  if (!options.resource_version) options.resource_version = meta.resource_version;
  auto removed = environment_.client.remove(*allowed, kind, meta.namespace_, meta.name, options);
  if (!removed && removed.error().error_class != ErrorClass::NotFound) {
    return std::unexpected(std::move(removed.error()));
  }
  wrote_ = true;
  environment_.floors.removed(owner_, kind, meta.namespace_, meta.uid);
  return {};
}

Result<std::string> ApiReconcileContext::get_json(const api::KindInfo& kind, const std::string& ns,
                                                  const std::string& name) {
  if (auto allowed = in_time(); !allowed) return std::unexpected(std::move(allowed.error()));
  return environment_.client.get(kind, ns, name);
}

void ApiReconcileContext::remember_write(const api::KindInfo& kind, const std::string& ns,
                                         const std::string& resource_version) {
  wrote_ = true;
  environment_.floors.wrote(owner_, kind, ns, resource_version);
}

}  // namespace reprise::runtime
