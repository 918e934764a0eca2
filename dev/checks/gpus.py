"""Karpenter buys GPU machines, and they are shared."""

from clusterlib.readiness import Unmet, wait_until

from .context import expect, pod

_POOL = "t4-spot"
_TYPE = "g4dn.xlarge"


def _pool():
    def requirement(key, value):
        return {"key": key, "operator": "In", "values": [value]}
    return {
        "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": _POOL},
        "spec": {"disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "5m"}, "template": {
            "metadata": {"labels": {"nvidia.com/device-plugin.config": "ts-4"}},
            "spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
                     "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}],
                     "expireAfter": "Never", "terminationGracePeriod": "120s",
                     "requirements": [requirement("karpenter.sh/capacity-type", "spot"),
                                      requirement("karpenter.k8s.aws/instance-gpu-name", "t4")]}}}}


def _overlay():
    return {"apiVersion": "karpenter.sh/v1alpha1", "kind": "NodeOverlay", "metadata": {"name": f"{_POOL}-1"},
            "spec": {"capacity": {"nvidia.com/gpu.shared": "4"}, "requirements": [
                {"key": "karpenter.sh/nodepool", "operator": "In", "values": [_POOL]},
                {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": [_TYPE]}]}}


def _slice(name, **spec):
    made = pod(name, {"karpenter.sh/do-not-disrupt": "true"},
               tolerations=[{"key": "nvidia.com/gpu", "operator": "Exists"}], **spec)
    made["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu.shared": "1"}}
    return made


def slices_bring_a_spot_machine(context):
    context.create(_pool(), _overlay())
    context.await_condition("nodepool", _POOL, "Ready", "True")
    context.await_condition("nodeoverlay", f"{_POOL}-1", "Ready", "True")
    context.create(*(_slice(f"slice-{index}", terminationGracePeriodSeconds=120) for index in range(3)))
    nodes = {context.await_phase(f"slice-{index}", "Running", seconds=40)["spec"]["nodeName"] for index in range(3)}
    expect("number of machines for three slices", len(nodes), 1)
    node = context.kubectl.get("node", nodes.pop())
    labels = node["metadata"]["labels"]
    expect("machine", (labels["node.kubernetes.io/instance-type"], labels["karpenter.sh/capacity-type"],
                       labels["karpenter.k8s.aws/instance-gpu-name"]), (_TYPE, "spot", "t4"))

    def shows_slices():
        seen = context.kubectl.get("node", node["metadata"]["name"])["status"]["allocatable"]
        return (seen.get("nvidia.com/gpu.shared"), seen.get("nvidia.com/gpu")) == ("4", "0") or Unmet(seen)
    wait_until("the node to offer four slices and no whole GPU", shows_slices, seconds=10)
    [claim] = context.kubectl.get("nodeclaims")["items"]
    context.await_condition("nodeclaim", claim["metadata"]["name"], "Initialized", "True")


def claim_deletion_reaches_protected_pods_at_once(context):
    """With a grace not below the pool's terminationGracePeriod, do-not-disrupt does not delay."""
    [claim] = context.kubectl.get("nodeclaims")["items"]
    name = claim["metadata"]["name"]
    context.kubectl.run("delete", "nodeclaim", name, "--wait=false")
    wait_until("deletionTimestamp on pod slice-0",
               lambda: (context.pod("slice-0") or {"metadata": {"deletionTimestamp": "gone"}})["metadata"]
               .get("deletionTimestamp"), seconds=10)
    for index in range(3):
        context.await_gone("pod", f"slice-{index}")
    context.await_gone("nodeclaim", name, seconds=30)
    context.kubectl.run("delete", "nodepool", _POOL)


ALL = (slices_bring_a_spot_machine, claim_deletion_reaches_protected_pods_at_once)
