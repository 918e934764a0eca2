// Keeps one Job for the attempt at hand of each BenchJob, and its status.
#pragma once

#include <functional>

#include "bench/sample/types.h"
#include "runtime/cache/store.h"
#include "runtime/manager/reconciler.h"

namespace bench {

namespace runtime = reprise::runtime;

struct Caches {
  const runtime::Store<BenchJob>& jobs;
  const runtime::Store<Pod>& pods;  // index "job": "namespace/name"
  const runtime::Store<Node>& nodes;
  const runtime::Store<Job>& children;
};

class BenchReconciler final : public runtime::Reconciler {
 public:
  // `reconciled` is called with each key that was reconciled without error; any thread.
  BenchReconciler(Caches caches, std::function<void(const runtime::ObjectKey&)> reconciled)
      : caches_(caches), reconciled_(std::move(reconciled)) {}

  runtime::Result<runtime::Next> reconcile(runtime::ReconcileContext& context, const runtime::ObjectKey& key) override;

 private:
  [[nodiscard]] bool any_node_tainted(const std::vector<std::shared_ptr<const Pod>>& pods) const;
  [[nodiscard]] runtime::Result<void> ensure_job(runtime::ReconcileContext& context, const BenchJob& job,
                                                 std::int32_t attempt) const;

  Caches caches_;
  std::function<void(const runtime::ObjectKey&)> reconciled_;
};

}  // namespace bench
