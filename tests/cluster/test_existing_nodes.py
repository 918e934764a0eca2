"""Pools of nodes that Karpenter has not made: who labels them, what jobs find there, what ends and what proves an end."""

import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import OPERATOR_USER, condition
from harness.loss import SPOT_TAINT

PLUGIN = "nvidia.com/device-plugin.config"
POOL = "reprise.dev/pool"


def node(name, rack, gpus=1, **more):
    """A machine of a managed node group, with the taint that such groups have."""
    labels = {"kwok-partition": "a", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
              "topology.kubernetes.io/zone": "test-zone-a", "example.com/rack": rack, "nvidia.com/gpu.count": str(gpus),
              "node.kubernetes.io/instance-type": "g4dn.xlarge", "eks.amazonaws.com/capacityType": "SPOT", **more}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
            "spec": {"providerID": f"kwok://{name}", "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]},
            "status": {"allocatable": {"cpu": "16", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": str(gpus)},
                       "capacity": {"cpu": "16", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": str(gpus)}}}


def pool(name, rack, sharing=None):
    return {"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool", "metadata": {"name": name},
            "spec": {"existingNodes": {"selector": {"matchLabels": {"example.com/rack": rack}}},
                     "sharing": sharing or {"mode": "Exclusive"}}}


SLICED = {"mode": "TimeSlicing", "replicas": 4}


class ExistingNodes(ClusterCase):
    pools = (*(node(f"slices-{i}", "slices") for i in range(2)), *(node(f"proof-{i}", "proof") for i in range(2)),
             node("left", "left"), node("of-a-person", "left", **{PLUGIN: "mine"}), node("used", "used"),
             pool("slices", "slices", SLICED), pool("proof", "proof"), pool("left", "left", SLICED), pool("used", "used"))

    def labels(self, name):
        return self.cluster.get("node", name)["metadata"]["labels"]

    def reason(self, name, type_):
        return condition(self.cluster.get("gpupool", name), type_)["reason"]

    def test_a_job_gets_slices_of_nodes_that_were_there_and_comes_back_after_a_notice(self):
        cluster = self.cluster
        cluster.kubectl("wait", "--for=condition=Ready", "gpupool/slices", "--timeout=90s")
        wait.until("the slices count", lambda: cluster.get("gpupool", "slices")["status"]["units"] == {"total": 8, "used": 0})
        status = cluster.get("gpupool", "slices")
        self.assertEqual(condition(status, "NodePoolsSynced")["reason"], "NotNeeded")
        self.assertEqual(self.labels("slices-0")[PLUGIN], "ts-4")
        self.assertEqual(cluster.list("nodepools", selector=f"{POOL}=slices"), [])

        cluster.apply(manifests.job("finetune", pool="slices"))
        cluster.wait_for_attempt("finetune", 1)
        first = cluster.pods_of("finetune")[0]["spec"]["nodeName"]
        wait.until("use and cost are told", lambda: cluster.get("gpupool", "slices")["status"]["units"]["used"] == 1)
        self.assertRegex(cluster.kubectl("get", "gpupools", "slices"), r"slices\s+True\s+1/2\s+2\s+TimeSlicing x4\s+0\.\d+")
        cluster.kubectl("taint", "node", first, f"{SPOT_TAINT}=now:NoSchedule")
        cluster.wait_for_attempt("finetune", 2)
        self.assertNotIn(first, {pod["spec"]["nodeName"] for pod in cluster.pods_of("finetune", 2)})
        self.assertEqual([pod for pod in cluster.list("pods", "vision") if "reprise.dev/standby" in pod["metadata"]["labels"]], [])

    def test_a_node_that_is_gone_from_the_api_proves_no_end_and_one_that_booted_anew_does(self):
        cluster = self.cluster
        cluster.kubectl("wait", "--for=condition=Ready", "gpupool/proof", "--timeout=90s")
        cluster.apply(manifests.job("fenced", pool="proof"))
        cluster.wait_for_attempt("fenced", 1)
        pod, = cluster.pods_of("fenced")
        name = pod["spec"]["nodeName"]
        cluster.kubectl("label", "node", name, "reprise.test/node-silent=true")
        cluster.kubectl("delete", "node", name)
        cluster.kubectl("delete", "pod", pod["metadata"]["name"], "-n", "vision", "--force", "--grace-period=0")
        waiting = cluster.wait_for_state("fenced", "WriterNotFenced")
        self.assertIn(name, condition(waiting, "PodsReady")["message"])
        self.assertEqual(cluster.pods_of("fenced", 2), [], "no second writer")
        cluster.apply(node(name, "proof"))
        cluster.wait_for_attempt("fenced", 2)

    def test_what_was_put_on_a_node_goes_with_the_pool_and_what_a_person_put_there_stays(self):
        cluster = self.cluster
        wait.until("the node of a person is named", lambda: self.reason("left", "SharingConfigured") == "NodeLabelNotOwned")
        self.assertIn("node of-a-person: label nvidia.com/device-plugin.config: found mine",
                      condition(cluster.get("gpupool", "left"), "SharingConfigured")["message"])
        self.assertNotIn(POOL, self.labels("of-a-person"))
        wait.until("the other one is labelled", lambda: self.labels("left").get(POOL) == "left")

        cluster.apply(pool("younger", "left", SLICED))
        wait.until("the younger pool says whose it is", lambda: self.reason("younger", "CapacityAvailable") == "NodeOfAnotherPool")
        cluster.kubectl("delete", "gpupool", "left")
        wait.until("the younger pool has it", lambda: self.labels("left").get(POOL) == "younger")
        cluster.kubectl("label", "--overwrite", "node", "left", "example.com/rack=elsewhere")
        own = {POOL, PLUGIN, "set.reprise.dev/by"}
        wait.until("nothing is left on it", lambda: not own & set(self.labels("left")))
        self.assertEqual([label for label in self.labels("left") if label.startswith("set.reprise.dev/")], [])
        self.assertEqual(self.labels("of-a-person")[PLUGIN], "mine")

    def test_how_gpus_are_shared_is_not_changed_under_a_trainer(self):
        cluster = self.cluster
        cluster.kubectl("wait", "--for=condition=Ready", "gpupool/used", "--timeout=90s")
        cluster.apply(manifests.job("trains", pool="used"))
        cluster.wait_for_attempt("trains", 1)
        cluster.apply(pool("used", "used", SLICED))
        wait.until("the pool says what it waits for", lambda: self.reason("used", "SharingConfigured") == "NodesInUse")
        self.assertIn("vision/trains-1-0", condition(cluster.get("gpupool", "used"), "SharingConfigured")["message"])
        self.assertNotIn(PLUGIN, self.labels("used"))
        cluster.kubectl("patch", "resumablejob", "trains", "-n", "vision", "--type=merge", "-p", '{"spec":{"suspend":true}}')
        wait.until("the node is shared once it is free", lambda: self.labels("used").get(PLUGIN) == "ts-4")

    def test_the_operator_may_change_nothing_of_a_node_but_its_labels(self):
        cluster = self.cluster
        for patch in ('{"spec":{"unschedulable":true}}', '{"metadata":{"annotations":{"example.com/x":"y"}}}'):
            done = cluster.run("kubectl", "patch", "node", "system-0", "--type=merge", "-p", patch,
                               f"--as={OPERATOR_USER}", check=False)
            self.assertNotEqual(done.returncode, 0, patch)
            self.assertIn("changes nothing of a node but its labels", done.stderr)


if __name__ == "__main__":
    unittest.main()
