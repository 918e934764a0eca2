// Claims of a job's pods besides that of its checkpoints: data sets, caches. A rehearsal does not know their content;
// directories of this machine stand for them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "rehearsal/plan/manifests.h"
#include "runtime/base/error.h"

namespace reprise::rehearsal {

using ClaimFiles = std::map<std::string, std::filesystem::path>;  // by name of the claim, absolute

struct OtherClaim {
  std::string claim, volume;  // the volume of the pod that names it
  std::string field;          // the field that names it
  friend bool operator==(const OtherClaim&, const OtherClaim&) = default;
};

[[nodiscard]] std::vector<OtherClaim> other_claims(const RehearsedJob& job);
// Invalid: a claim without a directory (the message says what to add); a directory whose claim no job has; without the
// right to mount, a directory that is not where a container looks for it.
[[nodiscard]] runtime::Result<void> check_claims(const std::vector<RehearsedJob>& jobs, const ClaimFiles& files,
                                                 bool may_mount);

}  // namespace reprise::rehearsal
