#include "controllers/gpupool/shell/apply.h"

#include "controllers/common/do_not_disrupt.h"
#include "controllers/common/gpu_health.h"
#include "controllers/common/node_claim_of_pool.h"
#include "controllers/gpupool/machines/drifted_nodes.h"
#include "controllers/gpupool/machines/stuck_node_claims.h"
#include "controllers/gpupool/node_pools/device_plugin.h"
#include "runtime/kube/object_writer.h"
#include "runtime/manager/removal.h"

namespace reprise::controllers::gpupool {
namespace {

using runtime::Result;

// Drops the object: its next event shows it, and only success matters here.
template <class T>
Result<void> outcome(Result<T> result) {
  if (result) return {};
  return std::unexpected(std::move(result).error());
}

// An object that is not in the cache by this name may be there all the same: labelled otherwise, or a moment old. A
// code of no class is a webhook's own.
bool is_rejection(const runtime::Error& error) {
  using runtime::ErrorClass;
  return error.error_class == ErrorClass::Invalid || error.error_class == ErrorClass::Forbidden ||
         error.error_class == ErrorClass::AlreadyExists || error.error_class == ErrorClass::Terminal;
}

// True when nothing more can be sent.
bool is_over(const runtime::Error& error) {
  return error.error_class == runtime::ErrorClass::NoPermit || error.error_class == runtime::ErrorClass::Cancelled;
}

// Names an action, for messages.
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
  std::string operator()(const DeleteStuckNodeClaim& action) const {
    return std::string(kDeleteNodeClaim) + action.name;
  }
  std::string operator()(const ReplaceFaultyNode& action) const { return std::string(kDeleteNodeClaim) + action.name; }
  std::string operator()(const RollNode& action) const { return std::string(kDeleteNodeClaim) + action.name; }
  std::string operator()(const LabelNode& action) const { return "label Node " + action.node; }
  std::string operator()(const CreateWarmPod& action) const {
    return "create Pod " + action.pod_builder.namespace_ + "/" + action.pod_builder.name;
  }
  std::string operator()(const DeleteWarmPod& action) const {
    return "delete Pod " + action.namespace_ + "/" + action.name;
  }
};

bool changes_what_is_there(const Action& action) {
  const auto* key = std::get_if<WriteDevicePluginKey>(&action);
  return std::holds_alternative<UpdateNodePool>(action) || std::holds_alternative<UpdateOverlay>(action) ||
         std::holds_alternative<LabelNode>(action) || (key != nullptr && !key->create);
}

std::string of_node_pool(const std::string& what) {
  return what + ": ";
}

// The key under which an action is remembered. A map that another pool has just made is no obstacle to the key that
// goes there now.
std::string memory_of(const Action& action, const std::string& what) {
  // Labels go in two steps, and come again when a node does: a quarrel writes the same labels again.
  if (const auto* label = std::get_if<LabelNode>(&action)) {
    std::string memory = what + ":";
    for (const auto& [key, value] : label->labels) memory += " " + key + "=" + value.value_or("-");
    return memory;
  }
  // A limit follows the machines that are there, and is no quarrel either.
  if (const auto* update = std::get_if<UpdateNodePool>(&action))
    return of_node_pool(what) + api::encode_spec_patch(update->wanted, "");
  const auto* key = std::get_if<WriteDevicePluginKey>(&action);
  return key != nullptr && key->create ? "create the map and " + what : what;
}

struct Doer {
  runtime::ReconcileContext& context;
  const Settings& settings;
  const api::GpuPool& pool;

  static std::unexpected<runtime::Error> left_alone(const char* why) {
    return runtime::fail(runtime::ErrorClass::Conflict, std::string("it is left alone: ") + why);
  }
  // The NodeClaim as the API server shows it; empty: it is gone. An error where it is no NodeClaim of the pool's.
  Result<std::optional<api::NodeClaim>> own_node_claim(const std::string& name, const std::string& uid) const {
    auto claim = context.read_live<api::NodeClaim>("", name);
    if (!claim) return claim;
    if (!claim->has_value() || (*claim)->meta.uid != uid) return std::nullopt;
    const auto node_pool = context.read_live<api::NodePool>("", std::string((*claim)->meta.label(kNodePoolLabel)));
    if (!node_pool) return std::unexpected(node_pool.error());
    if (!node_pool->has_value() || !is_of_pool(**claim, **node_pool, pool.meta.name, pool.meta.uid))
      return left_alone("the API server shows it as no NodeClaim of this pool");
    return claim;
  }

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
      made.data = new_device_plugin_map(action.key, action.content);
      return outcome(context.create<kube::ConfigMap>(settings.device_plugin_namespace, kube::encode(made)));
    }
    return outcome(
        context.patch<kube::ConfigMap>(settings.device_plugin_namespace, action.config_map, runtime::PatchType::Merge,
                                       config_map_key_patch(action.key, action.content, action.resource_version)));
  }
  // The caches may be of another time: a node that has become usable meanwhile may be training by now.
  Result<void> operator()(const DeleteStuckNodeClaim& action) const {
    const auto claim = own_node_claim(action.name, action.uid);
    if (!claim) return std::unexpected(claim.error());
    if (!claim->has_value()) return {};  // gone
    if (is_initialized(**claim)) return left_alone("the API server shows it initialised");
    return context.remove(**claim);
  }
  Result<void> operator()(const ReplaceFaultyNode& action) const {
    const auto claim = own_node_claim(action.name, action.uid);
    if (!claim) return std::unexpected(claim.error());
    if (!claim->has_value()) return {};  // gone
    const auto node = context.read_live<kube::Node>("", action.node);
    if (!node) return std::unexpected(node.error());
    if ((*claim)->node_name != action.node || !node->has_value() || !gpu_fault(**node))
      return left_alone("the API server shows no broken GPU on its node");
    return context.remove(**claim);
  }
  Result<void> operator()(const RollNode& action) const {
    const auto claim = own_node_claim(action.name, action.uid);
    if (!claim) return std::unexpected(claim.error());
    if (!claim->has_value() || (*claim)->meta.deletion_timestamp) return {};
    if (action.has_drifted && !has_drifted(**claim)) return left_alone("the API server does not show it drifted");
    const auto node = context.read_live<kube::Node>("", action.node);
    if (!node) return std::unexpected(node.error());
    if (asks_to_stay((*claim)->meta) || (node->has_value() && asks_to_stay((*node)->meta)))
      return left_alone("the API server shows that somebody asks for it to stay");
    return context.remove(**claim);
  }
  Result<void> operator()(const LabelNode& action) const { return write_labels(context, action); }
  Result<void> operator()(const CreateWarmPod& action) const {
    auto body = api::render_pod(action.pod_builder);
    if (!body) return runtime::fail(runtime::ErrorClass::Invalid, body.error().path + ": " + body.error().message);
    return outcome(context.create<kube::Pod>(action.pod_builder.namespace_, *std::move(body)));
  }
  Result<void> operator()(const DeleteWarmPod& action) const {
    return runtime::remove_by_uid<kube::Pod>(context, action.namespace_, action.name, action.uid);
  }
};

}  // namespace

Result<void> write_labels(runtime::ReconcileContext& context, const LabelNode& change) {
  kube::ObjectWriter patch;
  patch.text("metadata.resourceVersion", change.resource_version);
  for (const auto& [label, value] : change.labels) patch.entry("metadata.labels", label, value);
  return outcome(context.patch<kube::Node>("", change.node, runtime::PatchType::Merge, patch.json()));
}

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
      // The second of two pauses within a minute is no quarrel: the pool has raised the limit itself in between.
      if (std::holds_alternative<UpdateNodePool>(action)) attempts.forget_others(of_node_pool(what), memory);
      changes_what_is_there(action) ? attempts.changed(memory, what, now) : attempts.made(memory);
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
