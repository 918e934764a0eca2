#include "bench/sample/reconciler.h"

#include <algorithm>

#include "bench/sample/decide.h"

namespace bench {

using runtime::Next;
using runtime::Result;

Result<Next> BenchReconciler::reconcile(runtime::ReconcileContext& context, const runtime::ObjectKey& key) {
  const auto job = caches_.jobs.get(key);
  if (!job) return Next::done();
  context.set_owner(job->meta.uid);

  const auto pods = caches_.pods.by_index("job", to_string(key));
  const Seen seen{.job = *job,
                  .pods = pods,
                  .a_node_is_tainted = any_node_tainted(pods),
                  .now = std::chrono::floor<std::chrono::seconds>(context.clock().wall())};
  const Status status = decide(seen);

  if (auto made = ensure_job(context, *job, status.attempt); !made) return std::unexpected(std::move(made.error()));
  if (status != job->status) {
    auto patched =
        context.patch<BenchJob>(key.namespace_, key.name, runtime::PatchType::Merge, encode_status(status), "status");
    if (!patched) return std::unexpected(std::move(patched.error()));
  }
  reconciled_(key);
  return Next::done();
}

bool BenchReconciler::any_node_tainted(const std::vector<std::shared_ptr<const Pod>>& pods) const {
  return std::ranges::any_of(pods, [&](const auto& pod) {
    const auto node = caches_.nodes.get("", pod->node_name);
    return node && node->tainted;
  });
}

Result<void> BenchReconciler::ensure_job(runtime::ReconcileContext& context, const BenchJob& job,
                                         std::int32_t attempt) const {
  if (caches_.children.get(job.meta.namespace_, job_name(job, attempt))) return {};
  auto made = context.create<Job>(job.meta.namespace_, encode_job(job, attempt));
  if (made || made.error().error_class == runtime::ErrorClass::AlreadyExists) return {};
  return std::unexpected(std::move(made.error()));
}

}  // namespace bench
