// The thin shell around decide(): observe, decide, act, write the status, announce.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "controllers/common/unanswered_writes.h"
#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/shell/attempts.h"
#include "controllers/gpupool/shell/caches.h"
#include "controllers/gpupool/shell/sightings.h"
#include "controllers/metrics/recorder.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::gpupool {

class PoolReconciler final : public runtime::Reconciler {
 public:
  // All outlive the reconciler.
  PoolReconciler(Caches caches, Settings settings, metrics::Recorder& recorder)
      : caches_(caches), settings_(std::move(settings)), recorder_(recorder) {}

  [[nodiscard]] runtime::Result<runtime::Next> reconcile(runtime::ReconcileContext& context,
                                                         const runtime::ObjectKey& key) override;

 private:
  // The news of a status, told once it is known to be written.
  struct Telling {
    kube::Time now{};
    std::vector<Announcement> announcements;
  };
  // The knowledge of this process about one pool, beside the caches. Passes over one pool come one after the other.
  struct Memory {
    std::string pool_uid;
    Sightings sightings;
    Attempts attempts;
    Unanswered unanswered;
    UnansweredWrites<api::GpuPoolStatus, Telling> unanswered_writes;
  };
  [[nodiscard]] std::shared_ptr<Memory> recall(const runtime::ObjectKey& key, const std::string& pool_uid);
  void forget(const runtime::ObjectKey& key);
  [[nodiscard]] Observation observe(const runtime::ReconcileContext& context,
                                    std::shared_ptr<const api::GpuPool> pool) const;
  [[nodiscard]] runtime::Result<runtime::Next> serve(runtime::ReconcileContext& context, const api::GpuPool& pool,
                                                     const Observation& seen, Memory& memory) const;
  void tell(const std::string& pool, const api::GpuPoolStatus& before, const api::GpuPoolStatus& written,
            kube::Time now) const;
  [[nodiscard]] std::vector<std::shared_ptr<const api::ResumableJob>> jobs_of(const api::GpuPool& pool) const;
  [[nodiscard]] bool uses_gpus(const kube::Pod& pod) const;
  // Nodes that the selector names (null: none) or that bear labels for the pool.
  [[nodiscard]] CandidateNodes candidates(const std::string& pool, const kube::LabelSelector* selector) const;
  // Takes off what is left on the nodes of a pool that is gone.
  [[nodiscard]] runtime::Result<void> release(runtime::ReconcileContext& context, const std::string& pool) const;
  void tidy_device_plugin(runtime::ReconcileContext& context);

  Caches caches_;
  Settings settings_;
  metrics::Recorder& recorder_;
  std::mutex mutex_;
  std::map<runtime::ObjectKey, std::shared_ptr<Memory>> memories_;
  runtime::Instant tidy_again_{};
};

}  // namespace reprise::controllers::gpupool
