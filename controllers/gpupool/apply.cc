#include "controllers/gpupool/apply.h"

#include "controllers/common/node_claim_of_pool.h"
#include "controllers/gpupool/stuck_node_claims.h"
#include "runtime/kube/object_writer.h"
#include "runtime/manager/removal.h"

namespace reprise::controllers::gpupool {
namespace {

using runtime::Result;

// What was made answers for itself by the next event; only success matters here.
template <class T>
Result<void> outcome(Result<T> result) {
  if (result) return {};
  return std::unexpected(std::move(result).error());
}

// What is not in the cache by this name may be there all the same: labelled otherwise, or a moment old. A code of no
// class is a webhook's own.
bool is_rejection(const runtime::Error& error) {
  using runtime::ErrorClass;
  return error.error_class == ErrorClass::Invalid || error.error_class == ErrorClass::Forbidden ||
         error.error_class == ErrorClass::AlreadyExists || error.error_class == ErrorClass::Terminal;
}

// Nothing more can be sent.
bool is_over(const runtime::Error& error) {
  return error.error_class == runtime::ErrorClass::NoPermit || error.error_class == runtime::ErrorClass::Cancelled;
}

// For messages.
struct Namer {
  const Settings& settings;
  std::string operator()(const CreateNodePool& action) const { return "create NodePool " + action.wanted.meta.name; }
  std::string operator()(const UpdateNodePool& action) const { return "change NodePool " + action.wanted.meta.name; }
  std::string operator()(const DeleteNodePool& action) const { return "delete NodePool " + action.name; }
  std::string operator()(const CreateOverlay& action) const { return "create NodeOverlay " + action.wanted.meta.name; }
  std::string operator()(const UpdateOverlay& action) const { return "change NodeOverlay " + action.wanted.meta.name; }
  std::string operator()(const DeleteOverlay& action) const { return "delete NodeOverlay " + action.name; }
  std::string operator()(const WriteDevicePluginKey& action) const {
    return "write key " + action.key + " of ConfigMap " + settings.device_plugin_namespace + "/" + action.config_map;
  }
  std::string operator()(const DeleteStuckNodeClaim& action) const { return "delete NodeClaim " + action.name; }
};

bool changes_what_is_there(const Action& action) {
  const auto* key = std::get_if<WriteDevicePluginKey>(&action);
  return std::holds_alternative<UpdateNodePool>(action) || std::holds_alternative<UpdateOverlay>(action) ||
         (key != nullptr && !key->create);
}

// Under which it is remembered. A map that another pool has just made is no obstacle to the key that goes there now.
std::string memory_of(const Action& action, const std::string& what) {
  const auto* key = std::get_if<WriteDevicePluginKey>(&action);
  return key != nullptr && key->create ? "create the map and " + what : what;
}

struct Doer {
  runtime::ReconcileContext& context;
  const Settings& settings;
  const api::GpuPool& pool;

  Result<void> operator()(const CreateNodePool& action) const {
    return outcome(context.create<api::NodePool>("", api::encode(action.wanted)));
  }
  Result<void> operator()(const UpdateNodePool& action) const {
    return outcome(context.patch<api::NodePool>("", action.wanted.meta.name, runtime::PatchType::Merge,
                                                api::encode_spec_patch(action.wanted, action.current)));
  }
  Result<void> operator()(const DeleteNodePool& action) const {
    return runtime::remove_by_uid<api::NodePool>(context, "", action.name, action.uid);
  }
  Result<void> operator()(const CreateOverlay& action) const {
    return outcome(context.create<api::NodeOverlay>("", api::encode(action.wanted)));
  }
  Result<void> operator()(const UpdateOverlay& action) const {
    return outcome(context.patch<api::NodeOverlay>("", action.wanted.meta.name, runtime::PatchType::Merge,
                                                   api::encode_spec_patch(action.wanted, action.current)));
  }
  Result<void> operator()(const DeleteOverlay& action) const {
    return runtime::remove_by_uid<api::NodeOverlay>(context, "", action.name, action.uid);
  }
  Result<void> operator()(const WriteDevicePluginKey& action) const {
    if (action.create) {
      kube::ConfigMap made;
      made.meta.name = action.config_map;
      made.meta.namespace_ = settings.device_plugin_namespace;
      made.meta.labels = {{"app.kubernetes.io/managed-by", "reprise"}};
      made.data = {{action.key, action.content}};
      return outcome(context.create<kube::ConfigMap>(settings.device_plugin_namespace, kube::encode(made)));
    }
    return outcome(
        context.patch<kube::ConfigMap>(settings.device_plugin_namespace, action.config_map, runtime::PatchType::Merge,
                                       config_map_key_patch(action.key, action.content, action.resource_version)));
  }
  // The caches may be of another time: a node that has become usable meanwhile may be training by now.
  Result<void> operator()(const DeleteStuckNodeClaim& action) const {
    const auto claim = context.read_live<api::NodeClaim>("", action.name);
    if (!claim) return std::unexpected(claim.error());
    if (!claim->has_value() || (*claim)->meta.uid != action.uid) return {};  // gone
    const auto left_alone = [&](const char* why) {
      return runtime::fail(runtime::ErrorClass::Conflict, std::string("it is left alone: ") + why);
    };
    if (is_initialized(**claim)) return left_alone("the API server shows it initialised");
    const auto node_pool = context.read_live<api::NodePool>("", std::string((*claim)->meta.label(kNodePoolLabel)));
    if (!node_pool) return std::unexpected(node_pool.error());
    if (!node_pool->has_value() || !is_of_pool(**claim, **node_pool, pool.meta.name, pool.meta.uid))
      return left_alone("the API server shows it as no NodeClaim of this pool");
    return context.remove(**claim);
  }
};

}  // namespace

std::string config_map_key_patch(const std::string& key, const std::optional<std::string>& content,
                                 const std::string& resource_version) {
  return kube::ObjectWriter().text("metadata.resourceVersion", resource_version).entry("data", key, content).json();
}

Applied apply(runtime::ReconcileContext& context, const Settings& settings, const api::GpuPool& pool,
              const std::vector<Action>& actions, Attempts& attempts) {
  Applied applied;
  for (const Action& action : actions) {
    const std::string what = std::visit(Namer{settings}, action);
    const std::string memory = memory_of(action, what);
    const runtime::Instant now = context.clock().steady();
    if (auto obstacle = attempts.held(memory, now)) {
      applied.obstacles.push_back(*std::move(obstacle));
      continue;
    }
    auto done = std::visit(Doer{context, settings, pool}, action);
    if (done) {
      if (std::holds_alternative<DeleteStuckNodeClaim>(action)) ++applied.stuck_node_claims_ended;
      changes_what_is_there(action) ? attempts.changed(memory, now) : attempts.made(memory);
      continue;
    }
    const runtime::Error error = std::move(done).error().with_context(what);
    if (is_rejection(error)) {
      applied.obstacles.push_back(attempts.rejected(memory, error.message, now));
      continue;
    }
    if (!applied.error) applied.error = error;
    if (is_over(error)) break;
    if (error.error_class != runtime::ErrorClass::Unavailable) continue;
    if (auto obstacle = attempts.failed(memory, error.message, now)) applied.obstacles.push_back(*std::move(obstacle));
  }
  return applied;
}

}  // namespace reprise::controllers::gpupool
