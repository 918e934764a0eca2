"""Pools and jobs, by saying only what matters."""

import copy


def namespace(name, **labels):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def pool(name="t4", **spec):
    base = {
        "gpu": {"models": ["t4"], "countsPerNode": [1]},
        "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
        "capacity": [{"type": "Spot", "maxGpus": 16, "noticeSeconds": 20}, {"type": "OnDemand", "maxGpus": 4}],
        "sharing": {"mode": "TimeSlicing", "replicas": 4},
        "scaleDown": {"idleSeconds": 10},
    }
    base.update(spec)
    return {"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool", "metadata": {"name": name}, "spec": base}


def job(name, namespace="vision", parallelism=1, pool="t4", annotations=None, **spec):
    """`annotations` go onto the pods: exit codes and the like, see dev/README.md."""
    base = {
        "poolName": pool,
        "parallelism": parallelism,
        "checkpoint": {
            "path": "/checkpoints",
            "graceSeconds": 10,
            "volume": {
                "access": "Shared",
                "claimTemplate": {"spec": {"accessModes": ["ReadWriteMany"],
                                           "resources": {"requests": {"storage": "1Gi"}}}},
            },
        },
        "template": {
            "metadata": {"annotations": annotations or {}},
            "spec": {"containers": [{"name": "trainer", "image": "example/trainer:1", "command": ["train"],
                                     "resources": {"limits": {"reprise.dev/gpu": 1}}}]},
        },
    }
    base.update(copy.deepcopy(spec))
    return {"apiVersion": "reprise.dev/v1alpha1", "kind": "ResumableJob",
            "metadata": {"name": name, "namespace": namespace}, "spec": base}
