// Objects that look like a job's by their names and labels, and are not: no reference of theirs makes the job their
// controller in its own namespace. Each bears its maker's mark, by which invariants know it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulator/api_server/api_server.h"
#include "simulator/invariants/invariant.h"

namespace reprise::simulator {

// No machine has that name, and no kubelet looks at such pods: their maker writes their status himself.
inline constexpr const char* kNoMachine = "mallory";

[[nodiscard]] std::string rank_name(const Value& job, std::int64_t attempt, std::int64_t index);
[[nodiscard]] JsonObject labels_of(const Value& job);
[[nodiscard]] JsonArray reference_to(const Value& job, bool controller);
// Name, labels and mark.
[[nodiscard]] JsonObject forged_metadata(const Value& job, const std::string& name);
[[nodiscard]] Value forged_pod(const Value& job, const std::string& name);
// A trainer that has ended well, or one that goes on for ever.
[[nodiscard]] Value forged_status(bool ended);
[[nodiscard]] Value forged_service(const Value& job);
// `name`: that of a claim of the job.
[[nodiscard]] Value forged_claim(const Value& job, const std::string& name);
[[nodiscard]] Value forged_workload(const Value& job);
// The status of a Workload that is admitted, by its own account.
[[nodiscard]] Value forged_admission();
// A report as a rank of the attempt under way would send it.
[[nodiscard]] std::string forged_report(const Value& job);

}  // namespace reprise::simulator
