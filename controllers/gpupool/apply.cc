#include "controllers/gpupool/apply.h"

#include "runtime/base/json_text.h"
#include "runtime/manager/removal.h"

namespace reprise::controllers::gpupool {
namespace {

using runtime::Result;

// What was made answers for itself by the next event; only success matters here.
template <class T>
Result<void> outcome(Result<T> result, const std::string& doing) {
  if (result) return {};
  return std::unexpected(std::move(result).error().with_context(doing));
}

// What is not in the cache by this name may be there all the same: labelled otherwise, or a moment old.
bool is_refusal(const runtime::Error& error) {
  using runtime::ErrorClass;
  return error.error_class == ErrorClass::Invalid || error.error_class == ErrorClass::Forbidden ||
         error.error_class == ErrorClass::AlreadyExists;
}

struct Doer {
  runtime::ReconcileContext& context;
  const Settings& settings;

  Result<void> operator()(const CreateNodePool& action) const {
    return outcome(context.create<api::NodePool>("", api::encode(action.wanted)),
                   "create NodePool " + action.wanted.meta.name);
  }
  Result<void> operator()(const UpdateNodePool& action) const {
    return outcome(context.patch<api::NodePool>("", action.wanted.meta.name, runtime::PatchType::Merge,
                                                api::encode_spec_patch(action.wanted, action.current)),
                   "change NodePool " + action.wanted.meta.name);
  }
  Result<void> operator()(const DeleteNodePool& action) const {
    return runtime::remove_by_uid<api::NodePool>(context, "", action.name, action.uid);
  }
  Result<void> operator()(const CreateOverlay& action) const {
    return outcome(context.create<api::NodeOverlay>("", api::encode(action.wanted)),
                   "create NodeOverlay " + action.wanted.meta.name);
  }
  Result<void> operator()(const UpdateOverlay& action) const {
    return outcome(context.patch<api::NodeOverlay>("", action.wanted.meta.name, runtime::PatchType::Merge,
                                                   api::encode_spec_patch(action.wanted, action.current)),
                   "change NodeOverlay " + action.wanted.meta.name);
  }
  Result<void> operator()(const DeleteOverlay& action) const {
    return runtime::remove_by_uid<api::NodeOverlay>(context, "", action.name, action.uid);
  }
  Result<void> operator()(const WriteDevicePluginKey& action) const {
    const std::string doing =
        "write key " + action.key + " of ConfigMap " + settings.operator_namespace + "/" + action.config_map;
    if (action.create) {
      api::ConfigMap made;
      made.meta.name = action.config_map;
      made.meta.namespace_ = settings.operator_namespace;
      made.meta.labels = {{"app.kubernetes.io/managed-by", "reprise"}};
      made.data = {{action.key, action.content}};
      return outcome(context.create<api::ConfigMap>(settings.operator_namespace, api::encode(made)), doing);
    }
    return outcome(
        context.patch<api::ConfigMap>(settings.operator_namespace, action.config_map, runtime::PatchType::Merge,
                                      config_map_key_patch(action.key, action.content, action.resource_version)),
        doing);
  }
  Result<void> operator()(const DeleteStuckClaim& action) const {
    return runtime::remove_by_uid<api::NodeClaim>(context, "", action.name, action.uid);
  }
};

}  // namespace

std::string config_map_key_patch(const std::string& key, const std::optional<std::string>& content,
                                 const std::string& resource_version) {
  return R"({"metadata":{"resourceVersion":)" + runtime::json_string(resource_version) + R"(},"data":{)" +
         runtime::json_string(key) + ":" + (content ? runtime::json_string(*content) : "null") + "}}";
}

Result<std::vector<std::string>> apply(runtime::ReconcileContext& context, const Settings& settings,
                                       const std::vector<Action>& actions) {
  std::vector<std::string> refused;
  for (const Action& action : actions) {
    auto done = std::visit(Doer{context, settings}, action);
    if (done) continue;
    if (!is_refusal(done.error())) return std::unexpected(std::move(done).error());
    refused.push_back(std::move(done).error().message);
  }
  return refused;
}

}  // namespace reprise::controllers::gpupool
