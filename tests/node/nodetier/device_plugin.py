"""NVIDIA's device plugin and GPU feature discovery as their chart installs them, on machines whose driver's library is played.

The chart and the programs are NVIDIA's own (dev/tools/build-device-plugin). Played is what no machine here has: the GPUs, as
tests/node/nvml/nvml.c tells of them, and NVIDIA's container runtime, which would bring the library into the pods: here it lies
in their image, another one on each machine."""

import shutil
import subprocess
from pathlib import Path

from harness.cluster import OPERATOR_NAMESPACE, ROOT

from . import host, images

PRODUCT = "NVIDIA-H100-80GB-HBM3"
PRESENT = "nvidia.com/gpu.present"  # forces what node feature discovery would find on the PCI bus
_RELEASE, _IMAGE, _TAG = "nvidia-device-plugin", "nvidia-device-plugin", "test"
_PROGRAMS = ("nvidia-device-plugin", "config-manager", "gpu-feature-discovery")
_LIBRARY = "usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"
_FEATURES = Path("/etc/kubernetes/node-feature-discovery/features.d")  # machines have this host's /etc
_VALUES = {
    # Its config manager (0.18.2 to 0.19) begins before it has read the node's label, https://github.com/NVIDIA/k8s-device-plugin/issues/1645:
    # with the chart's own fallbacks, and the keys of two pools in the map, it would never get as far.
    "config.fallbackStrategies": "{empty}",
    "image.repository": _IMAGE, "image.tag": _TAG, "nfd.image.repository": _IMAGE, "nfd.image.tag": _TAG,
    "gfd.enabled": "true",
    # Its worker looks at the hardware, which is this host's.
    "nfd.worker.enable": "false", "nfd.gc.enable": "false",
    "podSecurityContext.runAsUser": "0",  # as in NVIDIA's images; those of node feature discovery are not root's
}


def gpu(machine, index):
    """The UUID of a whole GPU."""
    return f"GPU-{machine.number:08x}-0000-4000-8000-{index:04x}00000000"


def partitions(machine, index, count):
    """The UUIDs of its partitions."""
    return {f"MIG-{machine.number:08x}-0000-4000-8000-{index:04x}{1 + partition:08x}" for partition in range(count)}


def _built(tool):
    done = subprocess.run([ROOT / f"dev/tools/build-{tool}"], stdout=subprocess.PIPE, text=True, check=True)
    return Path(done.stdout.strip())


class DevicePlugin:
    def __init__(self, tier):
        self.tier = tier
        self.cluster = tier.cluster
        self.built = _built("device-plugin")
        self.master = _built("node-feature-discovery") / "nfd-master"
        self.out = self.cluster.state / "device-plugin"
        self.out.mkdir(exist_ok=True)
        self.made = [each for each in (_FEATURES, *_FEATURES.parents) if not each.exists()]

    def equip(self, machine, gpus, partitions_each=0):
        """Gives the machine so many GPUs, each cut into so many partitions, and an image of the programs that see them."""
        library = self.out / f"{machine.name}.so"
        host.run("cc", "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", f"-I{self.built}", f"-DGPUS={gpus}",
                 f"-DPARTITIONS={partitions_each}", f"-DMACHINE={machine.number}", "-o", library, host.HERE / "nvml/nvml.c")
        archive = self.out / f"{machine.name}.tar"
        images.make_programs(archive, f"{_IMAGE}:{_TAG}", [self.built / name for name in _PROGRAMS],
                             {_LIBRARY: library, "bin/nfd-master": self.master})
        machine.load(archive)
        self.cluster.kubectl("label", "--overwrite", "node", machine.name, f"{PRESENT}=true")

    def install(self, config_map):
        """With the operator's ConfigMap, in its namespace."""
        values = [argument for item in {**_VALUES, "config.name": config_map}.items() for argument in ("--set", "=".join(item))]
        try:
            self.cluster.run("helm", "install", _RELEASE, str(self.built / "chart"), "--namespace", OPERATOR_NAMESPACE, *values,
                             "--wait", "--timeout", "180s")
        except AssertionError as late:
            raise AssertionError(f"{late}\n{self.logs()}") from None

    def remove(self):
        """Node feature discovery takes its labels off the nodes. Without power the machines' GPUs are taken out: a kubelet that finds
        no record of them has never heard of any."""
        self.cluster.run("helm", "uninstall", _RELEASE, "--namespace", OPERATOR_NAMESPACE, "--ignore-not-found", "--wait")
        for machine in self.tier.nodes:
            self.cluster.kubectl("label", "node", machine.name, f"{PRESENT}-")
            machine.cut_power()
            (machine.disk / "lib/kubelet/device-plugins/kubelet_internal_checkpoint").unlink(missing_ok=True)
        if self.made:
            shutil.rmtree(self.made[-1], ignore_errors=True)

    def logs(self):
        return self.cluster.run("kubectl", "logs", "--namespace", OPERATOR_NAMESPACE, "--all-containers", "--prefix", "--tail=15",
                                "--selector", f"app.kubernetes.io/instance={_RELEASE}", check=False).stdout
