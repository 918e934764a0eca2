"""Nodes whose GPUs a monitor of the hardware calls broken: named, given back, or kept where many are."""

import json
import unittest

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import condition


class Health(ClusterCase):
    pools = (manifests.pool("mended", health={"policy": "Replace"}, sharing={"mode": "Exclusive"}),
             manifests.pool("watched", sharing={"mode": "Exclusive"}))

    def say_broken(self, node):
        """What the node monitoring agent of Amazon EKS writes."""
        fault = {"type": "AcceleratedHardwareReady", "status": "False", "reason": "NvidiaXID79Error",
                 "message": "GPU has fallen off the bus", "lastTransitionTime": "2026-11-21T09:00:00Z"}
        self.cluster.kubectl("patch", "node", node, "--subresource=status", "--type=strategic", "-p",
                             json.dumps({"status": {"conditions": [fault]}}))

    def said(self, pool, reason):
        found = condition(self.cluster.get("gpupool", pool), "NodesHealthy")
        if found["reason"] != reason:
            raise LookupError(f"{found['reason']}: {found['message']}")
        return found["message"]

    def node_of(self, job):
        pod, = self.cluster.pods_of(job, self.cluster.job(job)["status"]["attempt"])
        return pod["spec"]["nodeName"]

    def test_a_broken_node_is_given_back_and_its_trainer_goes_on_elsewhere(self):
        cluster = self.cluster
        cluster.apply(manifests.job("finetune", pool="mended"))
        cluster.wait_for_attempt("finetune", 1)
        node = self.node_of("finetune")
        self.assertEqual(self.said("mended", "NoFaultReported"), "no monitor calls the GPUs of a node broken")

        self.say_broken(node)
        cluster.wait_for_attempt("finetune", 2)
        self.assertNotEqual(self.node_of("finetune"), node)
        status = cluster.job("finetune")["status"]
        self.assertEqual((status["lastInterruption"]["reason"], status["lastInterruption"]["node"]), ("HardwareFailure", node))
        self.assertEqual(status.get("failures", 0), 0)
        replaced, = cluster.get("gpupool", "mended")["status"]["health"]["replacements"]
        self.assertEqual(replaced["node"], node)
        self.assertIn("(NvidiaXID79Error): GPU has fallen off the bus", replaced["fault"])
        cluster.kubectl("wait", "--for=delete", f"node/{node}", "--timeout=180s")
        wait.until("all is well again", lambda: self.said("mended", "NoFaultReported"))
        events = [event for event in cluster.list("events", "default") if event["involvedObject"].get("name") == "mended"]
        self.assertIn("ReplacingFaultyNode", [event["reason"] for event in events])

    def test_a_pool_that_only_reports_names_the_node_and_lets_it_train(self):
        cluster = self.cluster
        cluster.apply(manifests.job("steady", pool="watched"))
        cluster.wait_for_attempt("steady", 1)
        node = self.node_of("steady")
        self.say_broken(node)
        message = wait.until("the node is named", lambda: self.said("watched", "GpuFault"))
        self.assertIn(f"Node {node} says AcceleratedHardwareReady=False (NvidiaXID79Error", message)
        # From the broken one to the policy that gives it back.
        cluster.kubectl("patch", "gpupool", "watched", "--type=merge", "-p", '{"spec":{"health":{"policy":"Replace"}}}')
        cluster.wait_for_attempt("steady", 2)
        self.assertNotEqual(self.node_of("steady"), node)

    def test_no_node_is_given_back_where_each_is_called_broken(self):
        cluster = self.cluster
        cluster.apply(manifests.pool("doubted", health={"policy": "Report"}, sharing={"mode": "Exclusive"}),
                      manifests.job("one", pool="doubted"), manifests.job("two", pool="doubted"))
        nodes = []
        for job in ("one", "two"):
            cluster.wait_for_attempt(job, 1)
            nodes.append(self.node_of(job))
            self.say_broken(nodes[-1])
        wait.until("both are seen", lambda: cluster.get("gpupool", "doubted")["status"]["health"]["faultyNodes"] == 2)
        cluster.kubectl("patch", "gpupool", "doubted", "--type=merge", "-p", '{"spec":{"health":{"policy":"Replace"}}}')
        message = wait.until("the pool says so", lambda: self.said("doubted", "ReplacementHeld"))
        self.assertIn("2 of 2 nodes are called broken, more than a fifth", message)
        for job, node in zip(("one", "two"), nodes):
            self.assertEqual((self.node_of(job), cluster.job(job)["status"]["attempt"]), (node, 1))

    def test_nodes_that_nobody_would_make_anew_cannot_be_replaced(self):
        rack = {"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool", "metadata": {"name": "rack"},
                "spec": {"existingNodes": {"selector": {"matchLabels": {"rack": "7"}}}, "health": {"policy": "Replace"}}}
        self.assertIn("must be Report or Ignore with existingNodes", self.cluster.rejection(rack))


if __name__ == "__main__":
    unittest.main()
