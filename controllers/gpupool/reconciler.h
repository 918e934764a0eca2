// The thin shell around decide(): observe, decide, act, write the status, announce.
#pragma once

#include "controllers/gpupool/caches.h"
#include "controllers/gpupool/decide.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::gpupool {

class PoolReconciler final : public runtime::Reconciler {
 public:
  PoolReconciler(Caches caches, Settings settings) : caches_(caches), settings_(std::move(settings)) {}

  [[nodiscard]] runtime::Result<runtime::Next> reconcile(runtime::ReconcileContext& context,
                                                         const runtime::ObjectKey& key) override;

 private:
  [[nodiscard]] Observation observe(const runtime::ReconcileContext& context,
                                    std::shared_ptr<const api::GpuPool> pool) const;
  [[nodiscard]] runtime::Result<void> tidy_device_plugin(runtime::ReconcileContext& context) const;

  Caches caches_;
  Settings settings_;
};

}  // namespace reprise::controllers::gpupool
