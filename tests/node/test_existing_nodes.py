"""A pool of machines that are there already: real kubelets keep the labels and run the trainers, and nothing but a machine's
own word, or another boot, proves that it has ended."""

import json
import unittest

from harness import wait
from harness.cluster import condition
from nodetier.case import NodeCase
from nodetier.tier import NAMESPACE

RACK = "example.com/rack"
GPU = "nvidia.com/gpu"


class ExistingNodes(NodeCase):
    def setUp(self):
        super().setUp()
        for machine in self.tier.nodes:
            self.cluster.kubectl("label", "--overwrite", "node", machine.name, f"{RACK}=7")
            self.show_a_gpu(machine)
        self.cluster.apply({"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool", "metadata": {"name": "rack-7"},
                            "spec": {"existingNodes": {"selector": {"matchLabels": {RACK: "7"}}}}})
        self.addCleanup(self.tidy)

    def tidy(self):
        self.cluster.kubectl("delete", "resumablejob", "owned", "-n", NAMESPACE, "--ignore-not-found")
        wait.until("no job uses the pool", lambda: not self.pool().get("jobs"))
        self.cluster.kubectl("delete", "gpupool", "rack-7")
        wait.until("nothing of it is left", lambda: not any("reprise.dev" in label for machine in self.tier.nodes
                                                            for label in self.labels(machine.name)))
        for machine in self.tier.nodes:
            self.cluster.kubectl("label", "node", machine.name, f"{RACK}-")

    def show_a_gpu(self, machine):
        """What a device plugin would have its kubelet show; one that starts anew shows none before its plugin does."""
        self.cluster.kubectl("patch", "node", machine.name, "--subresource=status", "--type=merge", "-p",
                             json.dumps({"status": {"capacity": {GPU: "1"}, "allocatable": {GPU: "1"}}}))

    def pool(self):
        return self.cluster.get("gpupool", "rack-7")["status"]

    def labels(self, name):
        return self.cluster.get("node", name)["metadata"]["labels"]

    def test_a_job_on_them_waits_for_a_machine_that_lost_power_and_goes_on_when_it_booted_anew(self):
        self.cluster.kubectl("wait", "--for=condition=Ready", "gpupool/rack-7", "--timeout=90s")
        wait.until("both machines count", lambda: self.pool()["units"]["total"] == 2)
        volume = self.begin("owned", steps=500, step_milliseconds=50, save_every=10, pool="rack-7")
        self.wait_for_attempt(1)
        wait.until("use is told", lambda: self.pool()["units"]["used"] == 2)
        before = self.wait_for_steps(volume, 2)
        writer = self.machine_of(1, 0)
        writer.cut_power()
        job = self.wait_for_reason("WriterNotFenced")
        self.assertIn(f"{self.job_name}-1-0", condition(job, "PodsReady")["message"])
        self.assertEqual(self.attempts_seen(), {1})
        writer.power_on()
        self.tier.wait_until_ready(writer)
        self.show_a_gpu(writer)
        self.assertEqual(self.labels(writer.name)["reprise.dev/pool"], "rack-7", "a kubelet that registers anew keeps the label")
        self.wait_for_attempt(2)
        self.assertGreaterEqual(volume.resume_point(2)["step"], before)
        self.wait_until_complete()
        self.assert_uninterrupted_weights(volume)
        self.assert_one_writer_at_a_time(volume)


if __name__ == "__main__":
    unittest.main()
