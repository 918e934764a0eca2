#include "apps/kubectl-reprise/cluster/job_name.h"

#include "apps/kubectl-reprise/cluster/scene.h"

namespace reprise::plugin {

runtime::Result<std::string> job_name(const std::string& word) {
  auto name = object_name(word);
  if (!name) return std::unexpected(std::move(name).error());
  if (name->kind == ObjectName::Kind::Pool)
    return runtime::fail(runtime::ErrorClass::Invalid, "found '" + word + "', must be a job: NAME or job/NAME");
  return std::move(name->name);
}

}  // namespace reprise::plugin
