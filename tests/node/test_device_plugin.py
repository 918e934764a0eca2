"""Pools whose GPUs are shared by NVIDIA's own programs: device plugin, config manager and GPU feature discovery as their chart
installs them read what the operator wrote, real kubelets count what they advertise, and jobs get it. Played is the driver's
library alone (nodetier/device_plugin.py)."""

import unittest

from harness import wait
from harness.cluster import OPERATOR_NAMESPACE
from nodetier import device_plugin
from nodetier.case import NodeCase
from nodetier.device_plugin import DevicePlugin

CONFIG = "nvidia.com/device-plugin.config"
CONFIG_MAP = "reprise-device-plugin"
SLICE, PARTITION = "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb"


def pool(name, machine, **spec):
    return {"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool", "metadata": {"name": name}, "spec": {
        "existingNodes": {"selector": {"matchLabels": {"kubernetes.io/hostname": machine.name}}}, **spec}}


class NvidiaDevicePlugin(NodeCase):
    @classmethod
    def setUpClass(cls):
        cluster = cls.tier.cluster
        cls.sliced, cls.cut = cls.tier.nodes
        cls.plugin = DevicePlugin(cls.tier)
        cls.plugin.equip(cls.sliced, gpus=2)
        cls.plugin.equip(cls.cut, gpus=1, partitions_each=7)
        cls.addClassCleanup(cls.tidy)
        cluster.apply(pool("sliced", cls.sliced, sharing={"mode": "TimeSlicing", "replicas": 4}),
                      pool("cut", cls.cut, gpu={"models": ["h100"]},
                           sharing={"mode": "MIG", "migDevices": [{"profile": "1g.10gb", "count": 7}]}))
        wait.until("the operator has written what the device plugin reads", lambda: set(
            cluster.get("configmap", CONFIG_MAP, OPERATOR_NAMESPACE)["data"]) == {"default", "ts-4", "mig-mixed"})
        wait.until("and says so on the nodes", lambda: (
            [cls.node(machine)["labels"][CONFIG] for machine in cls.tier.nodes] == ["ts-4", "mig-mixed"]))
        cls.plugin.install(CONFIG_MAP)

    @classmethod
    def tidy(cls):
        for name in ("sliced", "cut"):
            cls.tier.cluster.kubectl("delete", "gpupool", name, "--ignore-not-found")
        cls.plugin.remove()

    @classmethod
    def node(cls, machine):
        node = cls.tier.cluster.get("node", machine.name)
        return {"labels": node["metadata"]["labels"], "allocatable": {name: quantity for name, quantity in
                node["status"]["allocatable"].items() if name.startswith("nvidia.com/") and quantity != "0"}}

    def operator_log(self):
        return super().operator_log() + "\n--- NVIDIA's programs\n" + self.plugin.logs()

    def train(self, name, resource, units):
        """A job on the pool of that name. Returns the GPUs that its trainer sees, and has been through."""
        self.cluster.kubectl("wait", "--for=condition=Ready", f"gpupool/{name}", "--timeout=90s")
        wait.until("the pool counts its units", lambda: self.units(name) == {"total": units, "used": 0})
        volume = self.begin(name, steps=100, step_milliseconds=50, save_every=10, parallelism=1, pool=name)
        self.wait_for_attempt(1)
        container, = self.pod(1, 0)["spec"]["containers"]
        self.assertEqual(container["resources"]["limits"], {resource: "1"})
        seen = wait.until("the trainer runs", lambda: self.trainers.environment(self.job(), 0))["NVIDIA_VISIBLE_DEVICES"]
        wait.until("use is told", lambda: self.units(name)["used"] == 1)
        self.wait_until_complete()
        self.assert_uninterrupted_weights(volume)
        return seen.split(",")

    def units(self, name):
        return self.cluster.get("gpupool", name)["status"]["units"]

    def test_slices_that_the_plugin_advertises_are_counted_and_a_trainer_sees_the_gpu_of_its_slice(self):
        wait.until("the kubelet shows the slices", lambda: self.node(self.sliced)["allocatable"] == {SLICE: "8"})
        labels = wait.until("feature discovery tells of them", lambda: self.discovered(self.sliced, "nvidia.com/gpu.replicas"))
        self.assertEqual([labels[f"nvidia.com/gpu.{name}"] for name in ("product", "count", "replicas", "sharing-strategy")],
                         [device_plugin.PRODUCT, "2", "4", "time-slicing"])
        gpu, = self.train("sliced", SLICE, units=8)
        self.assertIn(gpu, {device_plugin.gpu(self.sliced, index) for index in range(2)})

    def test_partitions_that_the_plugin_advertises_are_counted_and_a_trainer_sees_its_own(self):
        wait.until("the kubelet shows the partitions", lambda: self.node(self.cut)["allocatable"] == {PARTITION: "7"})
        labels = wait.until("feature discovery tells of them", lambda: self.discovered(self.cut, f"{PARTITION}.count"))
        self.assertEqual([labels[f"{PARTITION}.{name}"] for name in ("product", "count", "memory")],
                         [f"{device_plugin.PRODUCT}-MIG-1g.10gb", "7", "9856"])
        partition, = self.train("cut", PARTITION, units=7)
        self.assertIn(partition, device_plugin.partitions(self.cut, 0, 7))

    def discovered(self, machine, label):
        labels = self.node(machine)["labels"]
        return label in labels and labels


if __name__ == "__main__":
    unittest.main()
