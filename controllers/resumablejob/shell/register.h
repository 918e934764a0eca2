// Registers the controller of ResumableJobs: what it follows beside the shared kinds, its indexes, and whose change
// wakes which job.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controllers/common/shared_informers.h"
#include "controllers/metrics/recorder.h"
#include "controllers/reports/inbox.h"
#include "controllers/resumablejob/decide/observation.h"
#include "runtime/traces/span.h"

namespace reprise::controllers::resumablejob {

struct RegisterOptions {
  Settings agent = {};
  int max_concurrent_reconciles = 4;
  bool kueue = false;                  // the feature gate
  bool kueue_priority_boost = false;   // likewise
  runtime::SpanSink* spans = nullptr;  // takes the traces of jobs
  reports::Inbox* inbox = nullptr;     // reports of ranks while they train; outlives the registration
};

// The permissions that this controller needs beside shared_permissions() and manager_permissions(). (permissions.cc)
[[nodiscard]] std::vector<kube::Permission> permissions(bool kueue, bool kueue_priority_boost);

// Lives as long as the manager, the shared informers, the recorder and the spans' sink.
class Registration {
 public:
  Registration(runtime::Manager& manager, SharedInformers& shared, metrics::Recorder& recorder,
               const RegisterOptions& options);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace reprise::controllers::resumablejob
