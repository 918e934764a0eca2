// The thin shell around decide(): observe, decide, write the status, act, announce.
#pragma once

#include "controllers/resumablejob/caches.h"
#include "controllers/resumablejob/departed_pods.h"
#include "controllers/resumablejob/observation.h"
#include "runtime/client/client.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::resumablejob {

class JobReconciler final : public runtime::Reconciler {
 public:
  // All outlive the reconciler.
  JobReconciler(Caches caches, DepartedPods& departed, runtime::Client& client, Settings settings)
      : caches_(caches), departed_(departed), client_(client), settings_(std::move(settings)) {}

  [[nodiscard]] runtime::Result<runtime::Next> reconcile(runtime::ReconcileContext& context,
                                                         const runtime::ObjectKey& key) override;

 private:
  Caches caches_;
  DepartedPods& departed_;
  runtime::Client& client_;
  Settings settings_;
};

}  // namespace reprise::controllers::resumablejob
