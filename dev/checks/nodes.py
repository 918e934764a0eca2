"""A machine falls silent and speaks again; GPUs of a machine are shared."""

import json

from .context import expect, pod

_NODE = "silent-0"


def silent_node_is_not_ready_and_its_pods_stay(context):
    labels = {"kwok-partition": "a", "kubernetes.io/hostname": _NODE}
    context.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": _NODE, "labels": labels}})
    context.await_condition("node", _NODE, "Ready", "True")
    context.create(pod("on-silent", nodeName=_NODE))
    context.await_phase("on-silent", "Running")
    context.kubectl.run("label", "node", _NODE, "reprise.test/node-silent=true")
    context.await_condition("node", _NODE, "Ready", "Unknown", seconds=25)
    context.kubectl.run("delete", "pod", "on-silent", "--grace-period=1", "--wait=false")
    context.create(pod("on-system", nodeName="system-0"))
    context.await_phase("on-system", "Running")
    context.kubectl.run("delete", "pod", "on-system")  # two stages later the other would be gone as well
    expect("phase of the silent node's pod", context.pod("on-silent")["status"]["phase"], "Running")
    context.kubectl.run("label", "node", _NODE, "reprise.test/node-silent-")
    context.await_condition("node", _NODE, "Ready", "True", seconds=25)
    context.await_gone("pod", "on-silent")
    context.kubectl.run("delete", "node", _NODE)


def plain_gpu_node_can_be_shared(context):
    """Existing nodes, not Karpenter's: the count comes from what the node offers first."""
    context.create({"apiVersion": "v1", "kind": "Node",
                    "metadata": {"name": "gpu-0", "labels": {"kwok-partition": "a"}},
                    "status": {"capacity": {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "2"},
                               "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "2"}}})
    context.await_condition("node", "gpu-0", "Ready", "True")
    for config, slices in (("ts-3", "6"), ("mps-10", "20")):
        context.kubectl.run("label", "--overwrite", "node", "gpu-0", f"nvidia.com/device-plugin.config={config}",
                            f"nvidia.com/mps.capable={str(config.startswith('mps-')).lower()}")
        context.kubectl.run("wait", "node", "gpu-0", "--timeout=10s",
                            f"--for=jsonpath={{.status.allocatable.nvidia\\.com/gpu\\.shared}}={slices}")
    context.kubectl.run("delete", "node", "gpu-0")


def node_is_cut_into_partitions_when_its_state_is_let_go(context):
    name = "mig-0"
    gpu = "karpenter.k8s.aws/instance-gpu-"
    for memory, profile, most in (("40960", "1g.10gb", "8"), ("81920", "1g.10gb", "14"), ("81920", "3g.40gb", "4")):
        labels = {"kwok-partition": "a", f"{gpu}count": "2", f"{gpu}memory": memory, "reprise.test/mig-state": "failed",
                  "nvidia.com/device-plugin.config": "mig-mixed", "nvidia.com/mig.config": f"all-{profile}"}
        context.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
                        "status": {"capacity": {"nvidia.com/gpu": "2"}, "allocatable": {"nvidia.com/gpu": "2"}}})
        context.kubectl.run("wait", "node", name, "--timeout=10s",
                            "--for=jsonpath={.metadata.labels.nvidia\\.com/mig\\.config\\.state}=failed")
        context.kubectl.run("label", "node", name, "reprise.test/mig-state-")
        context.kubectl.run("wait", "node", name, "--timeout=10s",
                            "--for=jsonpath={.metadata.labels.nvidia\\.com/mig\\.config\\.state}=success")
        offered = json.loads(context.kubectl.run("get", "node", name, "-o", "json"))["status"]["allocatable"]
        expect(f"partitions of {profile}", offered[f"nvidia.com/mig-{profile}"], most)
        expect("whole GPUs", offered["nvidia.com/gpu"], "0")
        context.kubectl.run("delete", "node", name)


ALL = (silent_node_is_not_ready_and_its_pods_stay, plain_gpu_node_can_be_shared, node_is_cut_into_partitions_when_its_state_is_let_go)
