#include "rehearsal/plan/other_claims.h"

#include <set>

namespace reprise::rehearsal {
namespace {

namespace fs = std::filesystem;
using runtime::ErrorClass;
using runtime::Result;
using simulator::array;
using simulator::text;
using simulator::Value;

// The path without a slash at its end.
fs::path plain(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() || normal == normal.root_path() ? normal : normal.parent_path();
}

Result<void> check_places(const RehearsedJob& job, const OtherClaim& claim, const fs::path& files) {
  for (const char* list : {"initContainers", "containers"})
    for (const Value& container : array(job.object, {"spec", "template", "spec", list}))
      for (const Value& mount : array(container, {"volumeMounts"})) {
        if (text(mount, {"name"}) != claim.volume) continue;
        const fs::path at = std::string(text(mount, {"mountPath"}));
        if (plain(files / std::string(text(mount, {"subPath"}))) == plain(at)) continue;
        return runtime::fail(ErrorClass::Invalid, "ResumableJob " + job.name + ": " + claim.field + ": container " +
                                                      std::string(text(container, {"name"})) + " looks for claim " +
                                                      claim.claim + " at " + at.string() +
                                                      ", and this user may not mount " + files.string() +
                                                      " there (no user namespaces); have the files at " + at.string() +
                                                      " and name that, or rehearse as a user who may mount");
      }
  return {};
}

}  // namespace

std::vector<OtherClaim> other_claims(const RehearsedJob& job) {
  std::set<std::string> own;
  for (std::int64_t index = 0; index < job.parallelism; ++index) own.insert(job.claim_of(index));
  std::vector<OtherClaim> claims;
  std::size_t number = 0;
  for (const Value& volume : array(job.object, {"spec", "template", "spec", "volumes"})) {
    const std::string claim(text(volume, {"persistentVolumeClaim", "claimName"}));
    if (!claim.empty() && !own.contains(claim))
      claims.push_back({.claim = claim,
                        .volume = std::string(text(volume, {"name"})),
                        .field = "spec.template.spec.volumes[" + std::to_string(number) + "]"});
    ++number;
  }
  return claims;
}

Result<void> check_claims(const std::vector<RehearsedJob>& jobs, const ClaimFiles& files, bool may_mount) {
  std::set<std::string> known;
  for (const RehearsedJob& job : jobs)
    for (const OtherClaim& each : other_claims(job)) {
      known.insert(each.claim);
      const auto found = files.find(each.claim);
      if (found == files.end())
        return runtime::fail(ErrorClass::Invalid, "ResumableJob " + job.name + ": " + each.field + ": found claim " +
                                                      each.claim +
                                                      ", whose files a rehearsal has not; name a directory of this "
                                                      "machine in its place: --mount " +
                                                      each.claim + "=DIR");
      if (may_mount) continue;
      if (auto reachable = check_places(job, each, found->second); !reachable) return reachable;
    }
  for (const auto& [claim, directory] : files)
    if (!known.contains(claim)) {
      std::string names;
      for (const std::string& each : known) names += (names.empty() ? "" : ", ") + each;
      return runtime::fail(ErrorClass::Invalid, "--mount: found claim " + claim + ", must be one that a job mounts" +
                                                    (names.empty() ? "; they mount none" : ": " + names));
    }
  return {};
}

}  // namespace reprise::rehearsal
