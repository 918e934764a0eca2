#include "controllers/setup/setup.h"

#include "controllers/common/shared_informers.h"
#include "controllers/gpupool/register.h"
#include "controllers/resumablejob/register.h"

namespace reprise::controllers {

struct Controllers::Parts {
  Parts(runtime::Manager& manager, const SetupOptions& options)
      : shared(manager),
        jobs(manager, shared,
             {.agent_image = options.agent_image, .max_concurrent_reconciles = options.max_concurrent_reconciles}),
        pools(manager, shared,
              {.operator_namespace = options.operator_namespace,
               .max_concurrent_reconciles = options.max_concurrent_reconciles}) {}

  SharedInformers shared;
  resumablejob::Registration jobs;
  gpupool::Registration pools;
};

std::vector<kube::Permission> permissions() {
  std::vector<kube::Permission> all = runtime::manager_permissions();
  for (auto&& more : {shared_permissions(), resumablejob::permissions(), gpupool::permissions()})
    all.insert(all.end(), more.begin(), more.end());
  return kube::merged(std::move(all));
}

Controllers::Controllers(runtime::Manager& manager, SetupOptions options)
    : parts_(std::make_unique<Parts>(manager, options)) {}

Controllers::~Controllers() = default;

}  // namespace reprise::controllers
