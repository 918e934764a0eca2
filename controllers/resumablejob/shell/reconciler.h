// The thin shell around decide(): observe, decide, write the status, act, announce.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "controllers/common/unanswered_writes.h"
#include "controllers/metrics/recorder.h"
#include "controllers/resumablejob/decide/observation.h"
#include "controllers/resumablejob/decide/plan.h"
#include "controllers/resumablejob/shell/caches.h"
#include "controllers/resumablejob/shell/deleted_pod_cache.h"
#include "controllers/resumablejob/status/hold_back.h"
#include "runtime/manager/reconciler.h"
#include "runtime/traces/span.h"

namespace reprise::controllers::resumablejob {

class JobReconciler final : public runtime::Reconciler {
 public:
  // All outlive the reconciler. Without `spans` nothing is traced.
  JobReconciler(Caches caches, DeletedPodCache& deleted_pods, Settings settings, metrics::Recorder& recorder,
                runtime::SpanSink* spans = nullptr)
      : caches_(caches),
        deleted_pods_(deleted_pods),
        settings_(std::move(settings)),
        recorder_(recorder),
        spans_(spans) {}

  [[nodiscard]] runtime::Result<runtime::Next> reconcile(runtime::ReconcileContext& context,
                                                         const runtime::ObjectKey& key) override;
  // Jobs whose status is held back (hold_back.h), and writing it where nobody has written it since.
  [[nodiscard]] std::vector<runtime::ObjectKey> held_back() override;
  [[nodiscard]] runtime::Result<void> write_back(runtime::ReconcileContext& context,
                                                 const runtime::ObjectKey& key) override;

 private:
  // The news of a status, told once it is known to be written.
  struct Telling {
    kube::Time now{};
    std::vector<Announcement> announcements;
  };
  // The knowledge of this process about a job beyond the API; lost with it, and nothing rests on its being there.
  struct Memory {
    std::string job_uid;
    std::string rejection;                         // why something could not be created the last time
    runtime::WallTime rejected_at{};               // when that was first reported in this message
    std::int32_t began_attempt = 0;                // begun by this process, every request for a pod answered
    std::set<std::string, std::less<>> made = {};  // pods of that attempt that were asked for
    FirstSeen first_seen = {};
    Looked looked = {};  // when that was so
    std::shared_ptr<const HeldStatus> held = {};
    std::optional<Observation::Kueue::Boosted> boosted = {};
    UnansweredWrites<api::ResumableJobStatus, Telling> unanswered = {};
  };

  [[nodiscard]] Memory recall(const runtime::ObjectKey& key, const std::string& job_uid);
  void remember(const runtime::ObjectKey& key, Memory memory);
  static void keep_message(Memory& memory, const std::string& before, runtime::WallTime now);
  void forget(const runtime::ObjectKey& key);
  // The job with what is held back, where nobody has written its status since.
  [[nodiscard]] static std::shared_ptr<const api::ResumableJob> as_held(std::shared_ptr<const api::ResumableJob> job,
                                                                        Memory& memory);
  // Notes since when this process waits for what, whatever is done to the time of day.
  static void note_waits(Observation& seen, runtime::Instant steady, Memory& memory);
  [[nodiscard]] static runtime::Result<void> confirm_unchanged(runtime::ReconcileContext& context,
                                                               const api::ResumableJob& job);

  // Counts and traces what a status that was written says.
  void tell(const api::ResumableJob& job, const api::ResumableJobStatus& before, const api::ResumableJobStatus& written,
            kube::Time now);
  // Tells of a write whose answer was lost, now that the cache shows that it was stored.
  void tell_late(runtime::ReconcileContext& context, const api::ResumableJob& job, Memory& memory);
  [[nodiscard]] static runtime::Result<void> carry_out(runtime::ReconcileContext& context, const api::ResumableJob& job,
                                                       const Plan& plan, Memory& memory);
  [[nodiscard]] runtime::Result<void> make_first_pods(runtime::ReconcileContext& context, const api::ResumableJob& job,
                                                      const Observation& before, Plan& begun, Memory& memory);
  // With the status written: carries out the plan, remembers what came of it, says when to look again.
  [[nodiscard]] runtime::Next act(runtime::ReconcileContext& context, const api::ResumableJob& job,
                                  const Observation& seen, Plan& plan, Memory memory, bool begins);

  Caches caches_;
  DeletedPodCache& deleted_pods_;
  Settings settings_;
  metrics::Recorder& recorder_;
  runtime::SpanSink* spans_;
  std::mutex mutex_;
  std::map<runtime::ObjectKey, Memory> memories_;  // only of jobs that have something to remember
};

}  // namespace reprise::controllers::resumablejob
