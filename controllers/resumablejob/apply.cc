#include "controllers/resumablejob/apply.h"

#include "api/agent_protocol.h"
#include "api/kubernetes/core.h"
#include "api/kubernetes/karpenter.h"
#include "controllers/resumablejob/names.h"
#include "runtime/manager/removal.h"

namespace reprise::controllers::resumablejob {
namespace {

using runtime::ErrorClass;
using runtime::Result;

// A name that is taken is fine when this job took it: by an earlier request whose answer was lost.
template <class T>
Result<void> create(runtime::ReconcileContext& context, const api::ResumableJob& job, const std::string& name,
                    std::string body, std::string& refusal) {
  const std::string doing =
      "create " + std::string(api::KindOf<T>::info().kind) + " " + job.meta.namespace_ + "/" + name;
  auto made = context.create<T>(job.meta.namespace_, std::move(body));
  if (made) return {};
  if (made.error().error_class != ErrorClass::AlreadyExists) {
    const bool refused =
        made.error().error_class == ErrorClass::Invalid || made.error().error_class == ErrorClass::Forbidden;
    if (refused && refusal.empty()) refusal = doing + ": " + made.error().message;
    return std::unexpected(std::move(made).error().with_context(doing));
  }
  auto there = context.read_live<T>(job.meta.namespace_, name);
  if (!there) return std::unexpected(std::move(there).error().with_context(doing));
  if (there->has_value() && (*there)->meta.label(kJobUidLabel) == job.meta.uid) return {};
  return runtime::fail(ErrorClass::Conflict, doing + ": the name is taken by an object that is not this job's (uid " +
                                                 (there->has_value() ? (*there)->meta.uid : "gone meanwhile") +
                                                 "); remove it or rename the job");
}

struct Doer {
  runtime::ReconcileContext& context;
  const api::ResumableJob& job;
  std::string& refusal;

  Result<void> operator()(const CreateClaim& action) const {
    return create<api::PersistentVolumeClaim>(context, job, action.meta.name,
                                              api::encode_claim(action.meta, action.spec_json), refusal);
  }
  Result<void> operator()(const CreateService& action) const {
    return create<api::Service>(context, job, action.meta.name,
                                api::encode_headless_service(action.meta, action.selector), refusal);
  }
  Result<void> operator()(const CreatePod& action) const {
    auto body = api::render_pod(action.blueprint);
    if (!body) return runtime::fail(ErrorClass::Invalid, body.error().path + ": " + body.error().message);
    return create<api::Pod>(context, job, action.blueprint.name, *std::move(body), refusal);
  }
  Result<void> operator()(const DeletePod& action) const {
    return runtime::remove_by_uid<api::Pod>(context, job.meta.namespace_, action.name, action.uid,
                                            action.grace_period_seconds);
  }
  Result<void> operator()(const WithdrawPod& action) const {
    std::string body = R"({"metadata":{"uid":")" + action.uid + R"(","resourceVersion":")" + action.resource_version +
                       R"("},"status":{"phase":"Failed","reason":"AttemptEnded"}})";
    auto withdrawn =
        context.patch<api::Pod>(job.meta.namespace_, action.name, runtime::PatchType::Merge, std::move(body), "status");
    if (withdrawn || withdrawn.error().error_class == ErrorClass::NotFound) return {};
    return std::unexpected(std::move(withdrawn).error().with_context("withdraw pod " + action.name));
  }
  Result<void> operator()(const DeleteNodeClaim& action) const {
    return runtime::remove_by_uid<api::NodeClaim>(context, "", action.name, action.uid);
  }
  Result<void> operator()(const RequestCheckpoint& action) const {
    // Event and node uids need no escaping in JSON.
    std::string body = R"({"metadata":{"uid":")" + action.pod_uid + R"(","annotations":{")" +
                       std::string(api::agent_protocol::kCheckpointRequestAnnotation) + R"(":")" + action.id +
                       R"("}}})";
    auto asked =
        context.patch<api::Pod>(job.meta.namespace_, action.pod_name, runtime::PatchType::Merge, std::move(body));
    if (asked || asked.error().error_class == ErrorClass::NotFound) return {};
    // Another pod of that name does not have this uid. A conflict may also be a gateway's: which it is, the pod says.
    if (asked.error().error_class == ErrorClass::Conflict || asked.error().error_class == ErrorClass::Invalid) {
      auto there = context.read_live<api::Pod>(job.meta.namespace_, action.pod_name);
      const bool replaced = there && (!there->has_value() || (*there)->meta.uid != action.pod_uid);
      if (replaced) return {};
    }
    return std::unexpected(std::move(asked).error().with_context("ask pod " + action.pod_name + " for a checkpoint"));
  }
  Result<void> operator()(const DeleteJob& action) const {
    return runtime::remove_by_uid<api::ResumableJob>(context, job.meta.namespace_, action.name, action.uid);
  }
};

}  // namespace

Result<void> apply(runtime::ReconcileContext& context, const api::ResumableJob& job, const std::vector<Action>& actions,
                   std::string& refusal) {
  refusal.clear();
  Result<void> first;
  for (const Action& action : actions) {
    auto done = std::visit(Doer{context, job, refusal}, action);
    if (!done && first) first = std::move(done);
  }
  return first;
}

}  // namespace reprise::controllers::resumablejob
