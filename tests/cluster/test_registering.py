"""No pod is evicted from the machine that Karpenter rented for it while that machine registers (dev/README.md, Traps)."""

import contextlib
import os
import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import is_true
from harness.components import frozen
from harness.watchlog import WatchLog

MACHINES = int(os.environ.get("REPRISE_MACHINES", "12"))
ROUNDS = 3
UNREGISTERED, NOT_READY = "karpenter.sh/unregistered", "node.kubernetes.io/not-ready"


def pod(name):
    """As anybody makes one: it tolerates nothing of a machine that registers. No two of them share a machine."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "vision"}, "spec": {
        "nodeSelector": {"reprise.dev/pool": "t4"}, "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
        "containers": [{"name": "main", "image": "example/bare:1", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}}


def taints(node):
    return {taint["key"] for taint in node["spec"].get("taints", [])}


class Registering(ClusterCase):
    pools = (manifests.pool(sharing={"mode": "Exclusive"}, scaleDown={"idleSeconds": 600},
                            capacity=[{"type": "Spot", "maxGpus": MACHINES + 10 * ROUNDS, "noticeSeconds": 20}]),)

    def setUp(self):
        self.cluster.kubectl("wait", "--for=condition=Ready", "gpupool/t4", "--timeout=90s")
        self.log = self.enterContext(WatchLog(self.cluster, "pods", "nodes"))

    def node(self, name):
        return self.cluster.get("node", name)

    def evicted(self):
        return {one["metadata"]["name"] for _, one in self.log.of("pods")
                if any(condition.get("reason") == "DeletionByTaintManager" for condition in one["status"].get("conditions", []))}

    def runs(self, name):
        return name in self.evicted() or self.cluster.get("pod", name, "vision")["status"].get("phase") == "Running"

    def test_pods_stay_where_machines_register_one_after_the_other(self):
        names = [f"bare-{number}" for number in range(MACHINES)]
        for name in names:
            self.cluster.apply(pod(name))
        wait.until("all run", lambda: all(self.runs(name) for name in names), 300)
        self.assertEqual(self.evicted(), set())
        open_too_early = {node["metadata"]["name"] for _, node in self.log.of("nodes")
                          if UNREGISTERED in taints(node) and NOT_READY not in taints(node)}
        self.assertEqual(open_too_early, set(), "a machine that registers is not Ready")

    def test_a_pod_is_not_bound_before_the_controller_manager_has_seen_the_end_of_the_taint(self):
        """What a busy machine does now and then: the controller-manager sees nothing while Karpenter takes its taint off."""
        played, tries = 0, iter(range(10 * ROUNDS))
        while played < ROUNDS:
            played += self.round(f"early-{next(tries)}")
        self.assertEqual(self.evicted(), set())

    def round(self, name):
        """Whether Karpenter could be stopped before it took its taint off."""
        known = {node["metadata"]["name"] for _, node in self.log.of("nodes")}
        self.cluster.apply(pod(name))
        new = self.log.wait_for("its machine", lambda kind, _, node: kind == "nodes" and node["metadata"]["name"] not in known)
        machine = new[2]["metadata"]["name"]
        with contextlib.ExitStack() as asleep:
            with frozen(self.cluster, "karpenter"):
                if UNREGISTERED not in taints(self.node(machine)):
                    return False
                wait.until("the controller-manager knows the machine", lambda: any(
                    event.get("reason") == "RegisteredNode" and event["regarding"]["name"] == machine
                    for event in self.cluster.list("events.events.k8s.io", "default")))
                asleep.enter_context(frozen(self.cluster, "kube-controller-manager"))
            wait.until("Karpenter has registered it, and it is Ready",
                       lambda: UNREGISTERED not in taints(self.node(machine)) and is_true(self.node(machine), "Ready"))
            bound = self.cluster.get("pod", name, "vision")["spec"].get("nodeName")
        wait.until(f"{name} runs", lambda: self.runs(name))
        self.assertIsNone(bound, "while the taint manager knew the taint still")
        return True


if __name__ == "__main__":
    unittest.main()
