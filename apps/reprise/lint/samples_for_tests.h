// Manifests that are right, or of an earlier time, for the tests to break.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace reprise::apps::lint {

inline const std::string kPool = R"(apiVersion: reprise.dev/v1alpha1
kind: GpuPool
metadata:
  name: t4
spec:
  gpu: {models: [t4], countsPerNode: [1, 4]}
  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
  zones: [zone-a, zone-b]
  capacity:
  - {type: Spot, maxGpus: 8, noticeSeconds: 120}
  sharing: {mode: TimeSlicing, replicas: 4}
)";

inline const std::string kJob = R"(apiVersion: reprise.dev/v1alpha1
kind: ResumableJob
metadata:
  name: finetune
  namespace: vision
spec:
  poolName: t4
  parallelism: 2
  checkpoint:
    path: /checkpoints
    periodSeconds: 600
    graceSeconds: 110
    keep: 2
    volume:
      access: Shared
      claimTemplate:
        spec:
          accessModes: [ReadWriteMany]
          resources:
            requests: {storage: 50Gi}
  template:
    metadata:
      labels: {app: finetune}
    spec:
      containers:
      - name: trainer
        image: example.org/trainer:1
        command: [python, train.py]
        resources:
          limits: {reprise.dev/gpu: 1, memory: 8Gi}
)";

inline const std::string kNodePool = R"(apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: a10g
spec:
  limits: {nvidia.com/gpu: "8"}
  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 5m}
  template:
    metadata:
      labels:
        team: vision
    spec:
      nodeClassRef:
        group: karpenter.k8s.aws
        kind: EC2NodeClass
        name: default
      expireAfter: Never
      terminationGracePeriod: 2m
      taints:
      - {key: nvidia.com/gpu, value: "true", effect: NoSchedule}
      requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}
      - {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: [a10g]}
)";

// Copied from samples that are still handed around: an old version, a shape of no version, an older one's limits, the
// capacity type as a label, no group.
inline const std::string kOldSample = R"(# GPU nodes
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata:
  name: gpu-spot
  labels:
    karpenter.sh/capacity-type: spot
spec:
  constraints:
    requirements:
      # the cheap ones
      - key: karpenter.k8s.aws/instance-gpu-name
        operator: In
        values: ["t4", "l4"]
    taints:
      - key: nvidia.com/gpu
        value: present
        effect: NoSchedule
  limits:
    resources:
      nvidia.com/gpu: 8
  nodeClassRef:
    kind: EC2NodeClass
    name: default
)";

inline std::string exchanged(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  const auto at = out.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) out.replace(at, from.size(), to);
  return out;
}

}  // namespace reprise::apps::lint
