// Objects for tests, built by saying only what matters.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "api/karpenter.h"
#include "api/resumable_job.h"
#include "runtime/kube/core.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"

namespace reprise::controllers::testing {

inline const kube::Time kStart = *kube::parse_time("2026-11-21T09:00:00Z");

class MakePool {
 public:
  explicit MakePool(std::string name) {
    pool_.meta.name = name;
    pool_.meta.uid = "uid-pool-" + name;
    pool_.meta.generation = 1;
    pool_.spec.gpu.models = {"t4"};
    pool_.spec.node_class_ref = api::NodeClassRef{"karpenter.kwok.sh", "KWOKNodeClass", "default"};
    pool_.spec.capacity = {{.type = api::CapacityType::Spot, .max_gpus = 16, .notice_seconds = 120}};
    pool_.status.resource_name = "nvidia.com/gpu";
  }
  MakePool& time_slicing(std::int32_t replicas) {
    pool_.spec.sharing = {.mode = api::SharingMode::TimeSlicing, .replicas = replicas};
    pool_.status.resource_name = "nvidia.com/gpu.shared";
    return *this;
  }
  MakePool& with(auto&& change) {
    change(pool_);
    return *this;
  }
  [[nodiscard]] std::shared_ptr<const api::GpuPool> get() const { return std::make_shared<const api::GpuPool>(pool_); }

 private:
  api::GpuPool pool_;
};

class MakeJob {
 public:
  explicit MakeJob(std::string name) {
    job_.meta.name = name;
    job_.meta.namespace_ = "vision";
    job_.meta.uid = "uid-" + name;
    job_.meta.generation = 1;
    job_.spec.pool_name = "t4";
    job_.spec.checkpoint.path = "/checkpoints";
    job_.spec.checkpoint.volume.claim_template = api::ClaimTemplate{.spec_json = R"({"accessModes":["ReadWriteMany"]})",
                                                                    .labels = {},
                                                                    .annotations = {},
                                                                    .access_modes = {"ReadWriteMany"}};
    api::TemplateContainer trainer;
    trainer.name = "trainer";
    trainer.image = "example/trainer:1";
    trainer.command = {"train"};
    trainer.limits = {{"reprise.dev/gpu", "1"}};
    job_.spec.pod_template.containers = {trainer};
    job_.spec.pod_template.json =
        R"({"spec":{"containers":[{"name":"trainer","image":"example/trainer:1","command":["train"],)"
        R"("resources":{"limits":{"reprise.dev/gpu":1}}}]}})";
  }
  MakeJob& parallelism(std::int32_t count) {
    job_.spec.parallelism = count;
    return *this;
  }
  MakeJob& with(auto&& change) {
    change(job_);
    return *this;
  }
  [[nodiscard]] api::ResumableJob get() const { return job_; }

 private:
  api::ResumableJob job_;
};

class MakeNode {
 public:
  explicit MakeNode(std::string name) {
    node_.meta.name = name;
    node_.meta.uid = "uid-" + name;
    node_.meta.creation_timestamp = kStart;
    node_.meta.labels = {{"karpenter.sh/capacity-type", "spot"}, {"topology.kubernetes.io/zone", "test-zone-a"}};
    node_.boot_id = "boot-" + name;
    node_.provider_id = "kwok://" + name;
    node_.conditions = {{.type = "Ready", .status = "True", .reason = {}, .message = {}}};
  }
  MakeNode& taint(std::string key) {
    node_.taints.push_back({std::move(key), "", "NoSchedule"});
    return *this;
  }
  MakeNode& ready(std::string status, std::string message = {}) {
    node_.conditions = {{.type = "Ready", .status = std::move(status), .reason = {}, .message = std::move(message)}};
    return *this;
  }
  MakeNode& with(auto&& change) {
    change(node_);
    return *this;
  }
  [[nodiscard]] std::shared_ptr<const kube::Node> get() const { return std::make_shared<const kube::Node>(node_); }

 private:
  kube::Node node_;
};

// The NodePool that the GpuPool t4 of MakePool makes.
inline std::shared_ptr<const api::NodePool> make_node_pool(const std::string& name = "t4-spot",
                                                           const std::string& owner_uid = "uid-pool-t4") {
  api::NodePool node_pool;
  node_pool.meta.name = name;
  node_pool.meta.owner_references = {{.api_version = "reprise.dev/v1alpha1",
                                      .kind = "GpuPool",
                                      .name = "t4",
                                      .uid = owner_uid,
                                      .controller = true,
                                      .block_owner_deletion = true}};
  return std::make_shared<const api::NodePool>(std::move(node_pool));
}

class MakeNodeClaim {
 public:
  explicit MakeNodeClaim(std::string name, std::string node) {
    claim_.meta.name = name;
    claim_.meta.uid = "uid-" + name;
    claim_.meta.creation_timestamp = kStart;
    claim_.meta.labels = {{"reprise.dev/pool", "t4"}, {"karpenter.sh/nodepool", "t4-spot"}};
    claim_.node_name = node;
    claim_.provider_id = "kwok://" + node;
  }
  MakeNodeClaim& with(auto&& change) {
    change(claim_);
    return *this;
  }
  [[nodiscard]] std::shared_ptr<const api::NodeClaim> get() const {
    return std::make_shared<const api::NodeClaim>(claim_);
  }

 private:
  api::NodeClaim claim_;
};

}  // namespace reprise::controllers::testing
