"""Pools that cut their GPUs by MIG: Karpenter knows the partitions, nodes are told their layout, jobs get one for each rank."""

import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import OPERATOR_NAMESPACE, condition
from harness.loss import Loss

STATE = "nvidia.com/mig.config.state"


def pool(name, profile, count, **spec):
    return manifests.pool(name, gpu={"models": ["h100"]}, instanceTypes=["p5.4xlarge"],
                          sharing={"mode": "MIG", "migDevices": [{"profile": profile, "count": count}]}, **spec)


class Mig(ClusterCase):
    pools = (pool("h100", "1g.10gb", 7),)

    def test_a_pool_by_mig_is_ready_and_a_gang_on_one_gpu_comes_back_after_an_interruption(self):
        cluster = self.cluster
        cluster.kubectl("wait", "--for=condition=Ready", "gpupool/h100", "--timeout=90s")
        status = cluster.get("gpupool", "h100")["status"]
        self.assertEqual(status["resourceName"], "nvidia.com/mig-1g.10gb")
        self.assertEqual(status["isolation"], {"memory": "Hardware", "compute": "Hardware", "fault": "Hardware"})
        self.assertEqual({value for overlay in cluster.list("nodeoverlays", selector="reprise.dev/pool=h100")
                          for value in overlay["spec"]["capacity"].items()}, {("nvidia.com/mig-1g.10gb", "7")})
        node_pool = cluster.get("nodepool", "h100-spot")["spec"]
        self.assertEqual(node_pool["template"]["metadata"]["labels"]["nvidia.com/mig.config"], "all-1g.10gb")
        self.assertEqual(node_pool["limits"]["nvidia.com/mig-1g.10gb"], "112", "16 GPUs")
        written = cluster.get("configmap", "reprise-device-plugin", OPERATOR_NAMESPACE)["data"]
        self.assertIn("migStrategy: mixed", written["mig-mixed"])

        cluster.apply(manifests.job("finetune", pool="h100", parallelism=2))
        cluster.wait_for_attempt("finetune", 1)
        first = self.node_of_gang("finetune", 1)
        wait.until("the pool counts its partitions",
                   lambda: cluster.get("gpupool", "h100")["status"]["units"] == {"total": 7, "used": 2})
        self.assertRegex(cluster.kubectl("get", "gpupools", "h100"), r"h100\s+True\s+1/1\s+1\s+0\s+MIG 1g.10gb x7\s+2\.\d+")
        self.assertEqual(condition(cluster.get("gpupool", "h100"), "SharingConfigured")["status"], "True")

        Loss(cluster, cluster.pods_of("finetune", 1)[0]).deleted()
        cluster.wait_for_attempt("finetune", 2)
        self.assertNotEqual(self.node_of_gang("finetune", 2), first)

    def node_of_gang(self, job, attempt):
        """All ranks have a partition each on one node, which has been cut as the pool says."""
        ranks = self.cluster.pods_of(job, attempt)
        self.assertEqual([rank["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/mig-1g.10gb"] for rank in ranks], ["1", "1"])
        name, = {rank["spec"]["nodeName"] for rank in ranks}
        node = wait.until("the node is cut", lambda: self.cut(name))
        self.assertEqual(node["metadata"]["labels"]["nvidia.com/mig.config"], "all-1g.10gb")
        self.assertEqual(node["metadata"]["labels"]["nvidia.com/device-plugin.config"], "mig-mixed")
        return name

    def cut(self, name):
        """The node, when it says that it has been cut and offers the partitions: two of its stages play side by side."""
        node = self.cluster.get("node", name)
        found = node["metadata"]["labels"][STATE], node["status"]["allocatable"]["nvidia.com/mig-1g.10gb"]
        if found != ("success", "7"):
            raise LookupError(str(found))
        return node

    def test_what_a_gpu_cannot_be_cut_into_is_refused_with_what_it_can(self):
        cluster = self.cluster
        cluster.apply(pool("wrong-profile", "1g.5gb", 7), pool("wrong-count", "3g.40gb", 1))
        for name, message in (("wrong-profile", "spec.sharing.migDevices[0].profile: found 1g.5gb, h100 of p5.4xlarge can be cut into "
                                                "7 of 1g.10gb, 4 of 1g.20gb, 3 of 2g.20gb, 2 of 3g.40gb, 1 of 4g.40gb, 1 of 7g.80gb"),
                              ("wrong-count", "spec.sharing.migDevices[0].count: found 1, h100 of p5.4xlarge is cut into as many as fit, "
                                              "2 of 3g.40gb; write 2")):
            cluster.kubectl("wait", "--for=condition=Stalled", f"gpupool/{name}", "--timeout=90s")
            refused = cluster.get("gpupool", name)
            for type_ in ("Stalled", "SharingConfigured"):
                self.assertEqual(condition(refused, type_)["reason"], "InvalidSpec")
                self.assertIn(message, condition(refused, type_)["message"])
            self.assertEqual(cluster.list("nodepools", selector=f"reprise.dev/pool={name}"), [])

    def test_partitions_count_when_the_node_has_cut_them_and_one_that_cannot_is_named(self):
        cluster = self.cluster
        cluster.apply(pool("held", "3g.40gb", 2, labels={"reprise.test/mig-state": "pending"}))
        cluster.apply(manifests.job("patient", pool="held"))
        node = wait.until("a node is being cut", lambda: [
            each for each in cluster.list("nodes", selector="reprise.dev/pool=held") if each["metadata"]["labels"].get(STATE) == "pending"]
        )[0]["metadata"]["name"]
        wait.until("it is paid for and has no units",
                   lambda: (cluster.get("gpupool", "held")["status"]["capacity"][0]["nodes"],
                            cluster.get("gpupool", "held")["status"]["units"]["total"]) == (1, 0))
        self.assertEqual(condition(cluster.get("gpupool", "held"), "SharingConfigured")["status"], "True", "nothing is wrong yet")

        # Until then Karpenter writes the labels of the NodePool to the node, this one among them.
        cluster.kubectl("wait", "--for=jsonpath={.metadata.labels.karpenter\\.sh/registered}=true", f"node/{node}", "--timeout=90s")
        cluster.kubectl("label", "--overwrite", "node", node, "reprise.test/mig-state=failed")
        said = wait.until("the node is named", lambda: self.sharing_of("held", "NodeSharingFailed"))
        self.assertIn(f"node {node}: label {STATE}: found failed, must become success", said["message"])
        wait.until("an Event says so", lambda: [event for event in cluster.list("events", "default")
                                                if (event["involvedObject"].get("name"), event["reason"]) == ("held", "NodeSharingFailed")])

        cluster.kubectl("label", "node", node, "reprise.test/mig-state-")
        wait.until("all is well again", lambda: self.sharing_of("held", "Configured"))
        wait.until("its partitions count", lambda: cluster.get("gpupool", "held")["status"]["units"]["total"] == 2)
        cluster.wait_until_running("patient")

    def sharing_of(self, name, reason):
        found = condition(self.cluster.get("gpupool", name), "SharingConfigured")
        if found["reason"] != reason:
            states = {node["metadata"]["name"]: (node["metadata"]["labels"].get(STATE), node["metadata"]["labels"].get("reprise.test/mig-state"))
                      for node in self.cluster.list("nodes", selector=f"reprise.dev/pool={name}")}
            raise LookupError(f"{found['reason']}: {found['message']}; nodes: {states}")
        return found


if __name__ == "__main__":
    unittest.main()
