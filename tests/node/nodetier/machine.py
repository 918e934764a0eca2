"""One machine: a process tree in namespaces of its own that runs containerd and a kubelet, and can lose its power."""

import json
import os
import signal
import subprocess
import uuid
from pathlib import Path

import yaml

from harness import wait

from . import credentials, host, images

_SYSCTLS = {"vm.overcommit_memory": 1, "vm.panic_on_oom": 0, "kernel.panic": 10, "kernel.panic_on_oops": 1,
            "kernel.keys.root_maxkeys": 1000000, "kernel.keys.root_maxbytes": 25000000}
_API_SERVICE = "10.96.0.1"  # the Service kubernetes, as dev/cluster makes it


class Machine:
    def __init__(self, tier, name, number):
        self.tier = tier
        self.name = name
        self.number = number
        self.disk = tier.machines / name
        self.group = f"{host.BRIDGE}-{name}"
        self.boot_id = ""
        self._process = None  # unshare; its only child is the machine's process 1

    @property
    def address(self):
        return self.tier.address(10 + self.number)

    @property
    def pods(self):
        """The addresses of pods on this machine."""
        return f"10.88.{self.number}.0/24"

    @property
    def _cable(self):
        return f"{host.BRIDGE}-{self.number}"

    def install(self):
        """Gives the machine a disk with its configuration."""
        for directory in ("lib", "log", "cni", "sysctl"):
            (self.disk / directory).mkdir(parents=True)
        for key, value in _SYSCTLS.items():
            (self.disk / "sysctl" / key).write_text(f"{value}\n")
        (self.disk / "containerd.toml").write_text(_containerd(self))
        (self.disk / "cni" / "10-bridge.conflist").write_text(json.dumps(_network(self)))
        (self.disk / "kubelet.yaml").write_text(yaml.safe_dump(_kubelet(self)))
        credentials.write_kubeconfig(self.disk / "kubeconfig", self.name, self.tier.api_server, self.tier.cluster.state / "pki")

    def is_on(self):
        return self._process is not None and self._process.poll() is None

    def power_on(self):
        """Starts the machine with a boot id of its own; a second start finds the disk as the power cut left it."""
        self.boot_id = str(uuid.uuid4())
        (self.disk / "boot_id").write_text(self.boot_id + "\n")
        self._make_groups()
        environment = dict(os.environ, MACHINE_NAME=self.name, MACHINE_DISK=str(self.disk), MACHINE_ADDRESS=self.address,
                           MACHINE_GATEWAY=self.tier.address(1), MACHINE_IMAGES=str(self.tier.images),
                           MACHINE_PODS=self.pods, MACHINE_API_SERVICE=_API_SERVICE,
                           MACHINE_API_SERVER=self.tier.api_server.removeprefix("https://"),
                           MACHINE_KUBELET=f"{self.tier.cluster.tools}/kubelet")
        with open(self.disk / "init.log", "ab") as log:
            self._process = subprocess.Popen(
                ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc", "--net",
                 "--uts", "--ipc", host.HERE / "machine-init"],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        first = wait.until(f"machine {self.name} has a process 1", self._first_process, every=0.02)
        self._plug_in(first)

    def cut_power(self):
        """Everything on the machine is gone at once: no process there can report it."""
        host.run("ip", "link", "delete", self._cable)  # first: no connection is closed in good order
        os.kill(self._first_process(), signal.SIGKILL)
        self._process.wait(timeout=30)
        for group in host.CGROUPS.glob(f"*/{self.group}"):
            host.remove_group(group)

    def load(self, archive):
        """Gives an image to the running machine's containerd; it stays on the machine's disk."""
        self._images("import", archive)

    def tag(self, image, name):
        """Gives that image another name."""
        self._images("tag", "--force", image, name)

    def _images(self, *arguments):
        host.run("nsenter", "--target", self._first_process(), "--mount", "ctr", "--namespace", "k8s.io", "images", *arguments)

    def unplug(self):
        """The machine goes on and reaches its storage, but nobody reaches it."""
        host.run("ip", "link", "set", self._cable, "down")

    def plug_back(self):
        host.run("ip", "link", "set", self._cable, "up")

    def logs(self, lines=25):
        text = []
        for log in (self.disk / "init.log", self.disk / "log/containerd.log", self.disk / "log/kubelet.log"):
            tail = log.read_text(errors="replace").splitlines()[-lines:] if log.exists() else ["(none)"]
            text += [f"--- {self.name} {log.name}", *tail]
        return "\n".join(text)

    def _first_process(self):
        """unshare's child. Its number on the host; inside it is 1."""
        if self._process.poll() is not None:
            raise AssertionError(f"machine {self.name} ended with {self._process.returncode}:\n{self.logs()}")
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        return int(children[0]) if children else None

    def _plug_in(self, first):
        """A cable between the machine's eth0 and the bridge."""
        inside = self._cable + "p"
        host.run("ip", "link", "add", self._cable, "type", "veth", "peer", "name", inside)
        host.run("ip", "link", "set", self._cable, "master", host.BRIDGE, "up")
        host.run("ip", "link", "set", inside, "netns", first, "name", "eth0")

    def _make_groups(self):
        for hierarchy in host.CGROUPS.iterdir():
            if not hierarchy.is_dir() or hierarchy.is_symlink() or hierarchy.name == "unified":
                continue
            group = hierarchy / self.group
            group.mkdir(exist_ok=True)
            if hierarchy.name == "cpuset":  # a new group has none, and nothing could run in it
                for file in ("cpuset.cpus", "cpuset.mems"):
                    (group / file).write_text((hierarchy / file).read_text())


def _containerd(machine):
    unused = [f"io.containerd.snapshotter.v1.{name}" for name in ("aufs", "btrfs", "devmapper", "zfs")]
    # restrict_oom_score_adj: sandboxes ask for -998, which takes CAP_SYS_RESOURCE, and not every root has it.
    return f"""\
version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = {json.dumps([*unused, "io.containerd.internal.v1.opt"])}
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{images.PAUSE}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{machine.disk}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
"""


def _network(machine):
    """Pods of one machine see each other, the machine and the API server, nothing beyond."""
    return {"cniVersion": "0.4.0", "name": "pods", "plugins": [
        {"type": "bridge", "bridge": "pods0", "isGateway": True, "isDefaultGateway": True, "ipMasq": False,
         "ipam": {"type": "host-local", "ranges": [[{"subnet": machine.pods}]]}}]}


def _kubelet(machine):
    nothing = "0%"
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
        "failCgroupV1": False, "failSwapOn": False, "cgroupDriver": "cgroupfs",
        # Each kubelet removes pods' groups that it does not know: they must not share a root.
        "cgroupRoot": f"/{machine.group}", "enforceNodeAllocatable": [],
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "address": machine.address, "readOnlyPort": 0,
        "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True},
                           "x509": {"clientCAFile": str(machine.tier.cluster.state / "pki/ca.crt")}},
        "authorization": {"mode": "Webhook"},
        "resolvConf": "", "makeIPTablesUtilChains": False,
        "nodeStatusUpdateFrequency": "2s", "nodeStatusReportFrequency": "5s", "nodeLeaseDurationSeconds": 4,
        "syncFrequency": "5s",
        # The disk is shared with whatever else this host does, and the images cannot be had again.
        "imageGCHighThresholdPercent": 100, "imageGCLowThresholdPercent": 99,
        "evictionHard": {"memory.available": nothing, "nodefs.available": nothing, "nodefs.inodesFree": nothing,
                         "imagefs.available": nothing, "imagefs.inodesFree": nothing},
    }
