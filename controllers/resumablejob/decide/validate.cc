#include "controllers/resumablejob/decide/validate.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/resumablejob/claims/accept_checkpoint.h"
#include "controllers/resumablejob/pods/names.h"

namespace reprise::controllers::resumablejob {
namespace {

std::optional<Problem> progress_pattern(const api::ResumableJobSpec& spec) {
  const kube::Text& pattern = spec.checkpoint.progress_pattern;
  if (pattern.empty()) return std::nullopt;
  re2::RE2::Options quiet;
  quiet.set_log_errors(false);
  const re2::RE2 compiled(re2::StringPiece(pattern.data(), pattern.size()), quiet);
  const auto reject = [&](const std::string& why) {
    return Problem{"InvalidPattern", "spec.checkpoint.progressPattern: found " + std::string(pattern) + ": " + why +
                                         "; write a regular expression of RE2 whose first group is the step"};
  };
  if (!compiled.ok()) return reject(compiled.error());
  if (compiled.NumberOfCapturingGroups() < 1) return reject("it has no group for the step");
  return std::nullopt;
}

std::optional<Problem> unsupported(const api::ResumableJobSpec& spec) {
  const auto reject = [](std::string field, std::string instead) {
    return Problem{"NotSupported", field + ": this version does not act on it; " + instead};
  };
  if (spec.checkpoint.snapshot) return reject("spec.checkpoint.snapshot", "remove it");
  if (spec.fencing == api::FencingPolicy::Silence) return reject("spec.fencing: found Silence", "write Proof");
  if (spec.placement) {
    const api::JobPlacement& placement = *spec.placement;
    if (placement.zones.size() > 1) {
      return reject("spec.placement.zones: found " + std::to_string(placement.zones.size()) + " zones",
                    "name one zone or none");
    }
  }
  return std::nullopt;
}

// Without a pool nothing is known of zones and of what a node costs.
std::optional<Problem> placement_without_pool(const api::ResumableJobSpec& spec) {
  if (!spec.pool_name.empty() || !spec.placement) return std::nullopt;
  const auto reject = [](const char* field) {
    return Problem{"PoolNameMissing", std::string(field) +
                                          ": acts in a pool only; set spec.poolName, or write a nodeSelector in "
                                          "spec.template and remove it"};
  };
  if (!spec.placement->zones.empty()) return reject("spec.placement.zones");
  if (!spec.placement->max_cost.empty()) return reject("spec.placement.maxCost");
  if (spec.placement->capacity != api::PlacementCapacity::SpotPreferred) return reject("spec.placement.capacity");
  return std::nullopt;
}

// The exit codes of other containers in the pod are not judged: a rule about them would never match.
std::optional<Problem> failure_rules(const api::ResumableJobSpec& spec, const std::string& trainer) {
  for (std::size_t i = 0; i < spec.pod_failure_rules.size(); ++i) {
    const std::string& about = spec.pod_failure_rules[i].on_exit_codes_container;
    if (about.empty() || about == trainer) continue;
    return Problem{"NotSupported", "spec.podFailurePolicy.rules[" + std::to_string(i) +
                                       "].onExitCodes.containerName: found \"" + about +
                                       "\", only the exit code of the container that trains is judged; write \"" +
                                       trainer + "\" or remove it"};
  }
  return std::nullopt;
}

std::int64_t as_integer(const std::string& quantity) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(quantity.data(), quantity.data() + quantity.size(), value);
  return error == std::errc() && end == quantity.data() + quantity.size() ? value : -1;
}

std::optional<Problem> resources(const Observation& seen) {
  const api::ResumableJobSpec& spec = seen.job->spec;
  const auto field = [](const api::TemplateContainer& container, std::string_view resource) {
    return "spec.template.spec.containers[" + container.name + "].resources.limits[" + std::string(resource) + "]";
  };
  std::optional<gpupool::GpuSharing> sharing;
  if (seen.pool) sharing = gpupool::sharing_of(seen.pool->spec.sharing);
  for (const api::TemplateContainer& container : spec.pod_template.containers) {
    const auto units = container.limits.find(kUnitResource);
    if (units != container.limits.end()) {
      if (spec.pool_name.empty()) {
        return Problem{"PoolNameMissing", field(container, kUnitResource) +
                                              ": a unit belongs to a pool; set spec.poolName or ask for the node's own "
                                              "resource"};
      }
      const std::int64_t count = as_integer(units->second);
      if (count < 1) {
        return Problem{"InvalidUnits", field(container, kUnitResource) + ": found \"" + units->second +
                                           "\", must be a whole number of at least 1"};
      }
      if (sharing && sharing->max_units && count > *sharing->max_units) {
        return Problem{"InvalidUnits", field(container, kUnitResource) + ": found " + units->second + ", must be " +
                                           std::to_string(*sharing->max_units) +
                                           ": more slices of a shared GPU give no larger share"};
      }
    }
    if (sharing && !sharing->offers_whole_gpus) {
      for (const kube::StringMap* asked : {&container.limits, &container.requests}) {
        if (asked->contains("nvidia.com/gpu")) {
          return Problem{"WholeGpuRequested", field(container, "nvidia.com/gpu") + ": GpuPool " + seen.pool->meta.name +
                                                  " shares its GPUs; write " + std::string(kUnitResource) +
                                                  " instead, one unit is one slice"};
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<Problem> pool(const Observation& seen) {
  const std::string& name = seen.job->spec.pool_name;
  if (name.empty()) return std::nullopt;
  if (!seen.pool) {
    return Problem{"PoolNotFound",
                   "spec.poolName: found \"" + name + "\", no such GpuPool; create it or name another one"};
  }
  if (seen.pool->spec.allowed_namespaces && !seen.pool->spec.allowed_namespaces->matches(seen.namespace_labels)) {
    return Problem{"NamespaceNotAllowed", "spec.poolName: GpuPool " + name + " does not allow namespace " +
                                              seen.job->meta.namespace_ +
                                              "; ask its admin about spec.allowedNamespaces or name another pool"};
  }
  if (seen.pool->meta.deletion_timestamp) {
    return Problem{"PoolDeleting", "spec.poolName: GpuPool " + name + " is being deleted; name another pool"};
  }
  if (seen.pool->spec.existing_nodes && seen.job->spec.placement &&
      seen.job->spec.placement->capacity != api::PlacementCapacity::SpotPreferred) {
    return Problem{"NotSupported",
                   "spec.placement.capacity: GpuPool " + name +
                       " is of existing nodes, which do not bear Karpenter's label for it; write "
                       "SpotPreferred, or name a pool whose spec.existingNodes selects the nodes meant"};
  }
  if (seen.pool->status.resource_name.empty()) {
    return Problem{
        "PoolNotReady",
        "spec.poolName: GpuPool " + name + " does not offer a resource yet; see its condition SharingConfigured", true};
  }
  return std::nullopt;
}

std::optional<Problem> trainer(const Observation& seen) {
  const api::TemplateContainer* container = training_container(*seen.job);
  if (container == nullptr) {
    return Problem{"ContainerNotFound", api::choose_training_container(*seen.job).problem};
  }
  if (container->command.empty()) {
    return Problem{"CommandMissing", "spec.template.spec.containers[" + container->name +
                                         "].command: required, the agent starts it; an image's own entry point "
                                         "cannot be read from here"};
  }
  for (const kube::Text& path : container->mount_paths) {
    if (path == seen.job->spec.checkpoint.path || path == seen.job->spec.checkpoint.path + "/") {
      return Problem{"CheckpointPathMounted", "spec.template.spec.containers[" + container->name +
                                                  "].volumeMounts: " + path +
                                                  " is spec.checkpoint.path, where the checkpoint claim is mounted; "
                                                  "remove the mount, or name its claim in "
                                                  "spec.checkpoint.volume.claimName"};
    }
  }
  for (const kube::StringMap* keys : {&seen.job->spec.pod_template.labels, &seen.job->spec.pod_template.annotations}) {
    for (const auto& [key, value] : *keys) {
      if (!key.starts_with("reprise.dev/")) continue;
      return Problem{"ReservedKey", "spec.template.metadata: " + key + " is one of the operator's own keys; remove it"};
    }
  }
  if (!seen.job->spec.pod_template.restart_policy.empty() && seen.job->spec.pod_template.restart_policy != "Never") {
    return Problem{"RestartPolicy", "spec.template.spec.restartPolicy: found " +
                                        seen.job->spec.pod_template.restart_policy + ", must be Never or absent"};
  }
  return std::nullopt;
}

// The template must not choose nodes past the pool, nor speak to the agent in the operator's name.
std::optional<Problem> reserved(const api::PodTemplate& pod_template) {
  if (pod_template.reserved.empty()) return std::nullopt;
  const std::string field = "spec.template." + std::string(*pod_template.reserved.begin());
  if (field.ends_with(".nodeName")) {
    return Problem{"ReservedKey", field + ": must be absent: the scheduler chooses the node; write a nodeSelector"};
  }
  if (field.ends_with("[reprise.dev/pool]")) {
    return Problem{"ReservedKey", field + ": the operator sets it itself; name the GpuPool in spec.poolName instead"};
  }
  if (field.ends_with(".restartPolicy") || field.ends_with(".restartPolicyRules")) {
    return Problem{"RestartPolicy", field +
                                        ": must be absent or Never: a container that is started again in its pod has "
                                        "not ended, and its pod proves nothing; the job starts it again itself"};
  }
  if (field.ends_with(".activeDeadlineSeconds")) {
    return Problem{"ReservedKey", field +
                                      ": must be absent: such an end cannot be told from the trainer's own; write "
                                      "spec.activeDeadlineSeconds"};
  }
  return Problem{"ReservedKey", field + ": is one of the operator's own names; remove it"};
}

std::string how_to_go_on(const api::ResumableJob& job, const kube::PersistentVolumeClaim& claim) {
  if (job.spec.checkpoint.volume.access != api::VolumeAccess::PerIndex)
    return "name it in spec.checkpoint.volume.claimName";
  // A claim that somebody else controls goes with its owner.
  const std::string off =
      claim.meta.controller() == nullptr ? "" : "take its controller off metadata.ownerReferences and ";
  return off + "name it and those of the other ranks by their uids, with commas between (this one is " +
         claim.meta.uid + "): kubectl annotate --overwrite resumablejob " + job.meta.name + " -n " +
         job.meta.namespace_ + " " + std::string(kAcceptClaimsAnnotation) + "=<uid>,<uid>";
}

std::optional<Problem> claims(const Observation& seen) {
  const api::ResumableJob& job = *seen.job;
  const api::CheckpointVolume& volume = job.spec.checkpoint.volume;
  for (std::int32_t i = 0; i < claim_count(job); ++i) {
    const std::string name = claim_name(job, i);
    const auto found = seen.claims.find(name);
    const auto remembered =
        std::ranges::find_if(job.status.claims, [&](const api::ClaimStatus& claim) { return claim.name == name; });
    if (found == seen.claims.end()) {
      if (remembered != job.status.claims.end() && !may_start_from_scratch(job)) {
        return Problem{"CheckpointLost",
                       "PersistentVolumeClaim " + name + " (uid " + remembered->uid +
                           ") held the checkpoints and is gone; bring it back, or accept the loss: set "
                           "spec.resume to FromScratch (if it is already: to Latest and back)"};
      }
      if (!volume.claim_template) {
        return Problem{"ClaimNotFound", "spec.checkpoint.volume.claimName: PersistentVolumeClaim " + name +
                                            " does not exist in namespace " + job.meta.namespace_};
      }
      continue;
    }
    const kube::PersistentVolumeClaim& claim = *found->second;
    if (remembered != job.status.claims.end() && remembered->uid != claim.meta.uid && !may_start_from_scratch(job) &&
        !accepted_step(job)) {
      return Problem{"CheckpointLost", "PersistentVolumeClaim " + name + " is another object (uid " + claim.meta.uid +
                                           ", expected " + remembered->uid +
                                           "); bring the first one back; or, if this one holds an older copy, name "
                                           "the step to go on from: " +
                                           how_to_accept(job, std::nullopt) +
                                           "; or accept the loss of all: set spec.resume to FromScratch (if it is "
                                           "already: to Latest and back)"};
    }
    // A person has accepted it in place of the one that held the checkpoints, with the step to go on from.
    const bool known =
        remembered != job.status.claims.end() && (remembered->uid == claim.meta.uid || accepted_step(job));
    if (volume.claim_template && !known && !is_claim_for_job(claim.meta, job)) {
      return Problem{"ClaimExists", "PersistentVolumeClaim " + name + " exists and was not made for this job; " +
                                        how_to_go_on(job, claim) + " to go on with it, or rename the job"};
    }
    if (claim.meta.deletion_timestamp) {
      return Problem{"ClaimDeleting", "PersistentVolumeClaim " + name + " is being deleted"};
    }
    const bool many =
        std::ranges::any_of(claim.access_modes, [](const std::string& mode) { return mode == "ReadWriteMany"; });
    if (volume.access == api::VolumeAccess::Shared && job.spec.parallelism > 1 && !many) {
      return Problem{"AccessMode", "spec.checkpoint.volume: PersistentVolumeClaim " + name +
                                       " is not ReadWriteMany and " + std::to_string(job.spec.parallelism) +
                                       " ranks would share it; use ReadWriteMany or access: PerIndex"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Problem> find_problems(const Observation& seen) {
  const api::ResumableJobSpec& spec = seen.job->spec;
  const api::TemplateContainer* container = training_container(*seen.job);
  std::vector<Problem> problems;
  for (std::optional<Problem>& problem :
       std::array{unsupported(spec), progress_pattern(spec), placement_without_pool(spec), trainer(seen),
                  container == nullptr ? std::nullopt : failure_rules(spec, container->name),
                  reserved(spec.pod_template), pool(seen), resources(seen), claims(seen)}) {
    if (problem) problems.push_back(*std::move(problem));
  }
  return problems;
}

std::optional<Problem> find_problem(const Observation& seen) {
  if (auto problem = unsupported(seen.job->spec)) return problem;
  if (auto problem = progress_pattern(seen.job->spec)) return problem;
  if (auto problem = placement_without_pool(seen.job->spec)) return problem;
  if (auto problem = trainer(seen)) return problem;
  if (auto problem = failure_rules(seen.job->spec, training_container(*seen.job)->name)) return problem;
  if (auto problem = reserved(seen.job->spec.pod_template)) return problem;
  if (auto problem = pool(seen)) return problem;
  if (auto problem = resources(seen)) return problem;
  return claims(seen);
}

}  // namespace reprise::controllers::resumablejob
