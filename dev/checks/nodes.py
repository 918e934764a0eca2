"""A machine falls silent and speaks again."""

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


ALL = (silent_node_is_not_ready_and_its_pods_stay, plain_gpu_node_can_be_shared)
