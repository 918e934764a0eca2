// The thin shell around decide(): observe, decide, write the status, act, announce.
#pragma once

#include <map>
#include <mutex>
#include <string>

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
  // By job: what the API server refused the last time. Lost with the process: the next try says it again.
  std::mutex mutex_;
  std::map<runtime::ObjectKey, std::string> refusals_;

  [[nodiscard]] std::string refusal_of(const runtime::ObjectKey& job);
  void remember_refusal(const runtime::ObjectKey& job, const std::string& refusal);
};

}  // namespace reprise::controllers::resumablejob
