// The installation by an admin before any job: the project's kinds, and the chart's objects.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/api_server/api_server.h"

namespace reprise::simulator {

// GpuPools and ResumableJobs, from the CRDs inside the binary.
using OwnKinds = std::vector<std::shared_ptr<const KindRules>>;
// Takes tens of milliseconds: read them once for many clusters. An error is a defect of the project's CRDs.
[[nodiscard]] runtime::Result<OwnKinds> read_own_kinds();
void serve(ApiServer& api, const OwnKinds& kinds);

// An object of that name may be there already. The error names kind and object.
[[nodiscard]] runtime::Result<void> create_missing(ApiServer& api, std::string_view group, std::string_view plural,
                                                   Value object);
// Installs these namespaces and the operator's, and the priority of standby pods.
[[nodiscard]] runtime::Result<void> install(ApiServer& api, std::set<std::string> namespaces);

}  // namespace reprise::simulator
