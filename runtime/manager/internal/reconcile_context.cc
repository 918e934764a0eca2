#include "runtime/manager/internal/reconcile_context.h"

#include <utility>

#include "runtime/internal/json.h"

namespace reprise::runtime {
namespace {

// Empty when the server is to choose it.
std::string name_in(const std::string& body) {
  const auto tree = internal::parse_json(body);
  return tree ? internal::text_of(internal::member(*tree, "metadata"), "name") : std::string();
}

}  // namespace

ApiReconcileContext::ApiReconcileContext(ControllerEnvironment environment, Logger& logger, Instant deadline,
                                         std::string owner)
    : environment_(environment),
      logger_(logger),
      deadline_(deadline),
      transport_(environment.transport, environment.clock, deadline, environment.cancellation),
      client_(make_client(transport_, environment.clock)),
      owner_(std::move(owner)) {}

// Other classes say that the server rejected it, or that nothing was sent.
void ApiReconcileContext::note_unanswered(const Error& error, internal::UnansweredWrite write) {
  if (error.error_class == ErrorClass::Unavailable) unanswered_.push_back(std::move(write));
}

Result<void> ApiReconcileContext::in_time() const {
  if (environment_.clock.steady() < deadline_) return {};
  return fail(ErrorClass::Unavailable, "timed out: the deadline of this reconcile has passed");
}

Result<WritePermit> ApiReconcileContext::permit() {
  if (auto allowed = in_time(); !allowed) return std::unexpected(std::move(allowed.error()));
  return environment_.permits.permit();
}

Result<std::string> ApiReconcileContext::create_json(const kube::KindInfo& kind, const std::string& ns,
                                                     std::string body) {
  auto allowed = permit();
  if (!allowed) return std::unexpected(std::move(allowed.error()));
  std::string sent = body;
  auto made = client_->create(*allowed, kind, ns, std::move(body));
  if (!made) note_unanswered(made.error(), {kind, ns, name_in(sent), {}, {}});
  return made;
}

Result<std::string> ApiReconcileContext::patch_json(const kube::KindInfo& kind, const std::string& ns,
                                                    const std::string& name, PatchType type, std::string body,
                                                    std::string_view subresource) {
  auto allowed = permit();
  if (!allowed) return std::unexpected(std::move(allowed.error()));
  auto patched = client_->patch(*allowed, kind, ns, name, type, std::move(body), subresource);
  if (!patched) note_unanswered(patched.error(), {kind, ns, name, {}, {}});
  return patched;
}

Result<void> ApiReconcileContext::remove_object(const kube::KindInfo& kind, const kube::ObjectMeta& meta,
                                                DeleteOptions options) {
  auto allowed = permit();
  if (!allowed) return std::unexpected(std::move(allowed.error()));
  if (!options.uid) options.uid = meta.uid;
  if (!options.resource_version) options.resource_version = meta.resource_version;
  auto removed = client_->remove(*allowed, kind, meta.namespace_, meta.name, options);
  if (!removed && removed.error().error_class != ErrorClass::NotFound) {
    note_unanswered(removed.error(), {kind, meta.namespace_, meta.name, meta.uid, meta.resource_version});
    return std::unexpected(std::move(removed.error()));
  }
  wrote_ = true;
  environment_.watermarks.removed(owner_, kind, meta.namespace_, meta.uid, meta.resource_version);
  return {};
}

Result<std::string> ApiReconcileContext::get_json(const kube::KindInfo& kind, const std::string& ns,
                                                  const std::string& name) {
  if (auto allowed = in_time(); !allowed) return std::unexpected(std::move(allowed.error()));
  return client_->get(kind, ns, name);
}

void ApiReconcileContext::remember_write(const kube::KindInfo& kind, const std::string& ns,
                                         const std::string& resource_version) {
  wrote_ = true;
  environment_.watermarks.wrote(owner_, kind, ns, resource_version);
}

}  // namespace reprise::runtime
