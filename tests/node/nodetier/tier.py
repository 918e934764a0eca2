"""A control plane, two machines and the operator; everything goes at the end, whoever was killed in between."""

import itertools
import os
import tempfile
from pathlib import Path

from harness import wait
from harness.cluster import OPERATOR_NAMESPACE, ROOT, Cluster, condition
from harness.operator import Operator, free_port

from . import host, images
from .machine import Machine

NAMESPACE = "vision"
_BUILD = ROOT / "build" / os.environ.get("PRESET", "dev")
_BINARIES = _BUILD / "bin"
_DATA = ROOT / "examples/trainer/data/points.csv"


class _ControlPlane(Cluster):
    """Whoever uses the tier says how the operator runs. Played machines are there only where a pool has Karpenter rent them."""

    def install_chart(self):
        pass


class Tier:
    def __init__(self, with_operator=True):
        """`with_operator`: as a process of the test from the start on. Without, nothing is installed."""
        self.with_operator = with_operator
        # Cluster expects to be the only one with its name: so it is, under host.alone().
        name = "node-tier"
        pki = ROOT / ".cluster" / name / "pki"
        self.cluster = _ControlPlane(
            name, "kube-apiserver.bind-address=0.0.0.0",
            # For kubectl logs. The kubelet's certificate is its own; nothing here depends on that.
            f"kube-apiserver.kubelet-client-certificate={pki}/admin.crt",
            f"kube-apiserver.kubelet-client-key={pki}/admin.key",
            "kube-apiserver.kubelet-preferred-address-types=InternalIP")
        self.machines = self.cluster.state / "machines"
        self.images = self.cluster.state / "images"
        self.volumes = self.cluster.state / "volumes"
        self.build = _BUILD
        self.nodes = [Machine(self, "node-a", 1), Machine(self, "node-b", 2)]
        self.api_server = ""
        self.operator = None
        self._names = set()

    def address(self, last):
        return f"10.77.{host.NUMBER}.{last}"

    def __enter__(self):
        missing = [name for name in ("reprise-operator", "reprise-agent", "trainer") if not (_BINARIES / name).exists()]
        if missing:
            raise AssertionError(f"{_BINARIES} lacks {', '.join(missing)}: run 'make build' first")
        host.clean()
        host.mark_children()
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.operator:
            self.operator.__exit__()
        host.clean()
        self.cluster.__exit__()

    def _start(self):
        self.cluster.__enter__()
        self.cluster.kubectl("delete", "node", "system-0")  # a played machine: pods belong on the real ones
        port = self.cluster.kubectl("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}").rsplit(":", 1)[1]
        self.api_server = f"https://{self.address(1)}:{port}"
        self.volumes.mkdir()
        images.make_all(self.images, _BINARIES, _DATA)
        host.run("ip", "link", "add", host.BRIDGE, "type", "bridge")
        host.run("ip", "addr", "add", self.address(1) + "/24", "dev", host.BRIDGE)
        host.run("ip", "link", "set", host.BRIDGE, "up")
        for machine in self.nodes:
            machine.install()
            machine.power_on()
        self.cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        if self.with_operator:
            self.start_operator()
        for machine in self.nodes:
            self.wait_until_ready(machine)

    def start_operator(self):
        """As a process, with the rights that the chart gives and none of the chart's own pods."""
        self.cluster.run("helm", "install", "reprise", str(ROOT / "charts/reprise"), "--namespace", OPERATOR_NAMESPACE,
                         "--create-namespace", "--set", "replicas=0", "--wait", "--timeout", "180s")
        reports = f"{self.address(1)}:{free_port()}"  # pods reach no Service
        self.operator = Operator(self.cluster).start(f"--report-bind-address={reports}", f"--report-url=https://{reports}")

    def stop_operator(self):
        self.operator.__exit__()
        self.operator = None
        self.cluster.run("helm", "uninstall", "reprise", "--namespace", OPERATOR_NAMESPACE, "--wait")

    def wait_until_ready(self, machine):
        """Ready, with the boot id of its latest start."""
        def ready():
            node = self.cluster.get("node", machine.name)
            if node is None or node["status"]["nodeInfo"]["bootID"] != machine.boot_id:
                raise LookupError("not registered since its start")
            return condition(node, "Ready")["status"] == "True" and not node["spec"].get("taints")
        try:
            wait.until(f"node {machine.name} is ready", ready, 180)
        except wait.NotSeen as late:
            raise AssertionError(f"{late}\n{machine.logs()}") from None

    def name(self, wish):
        """A name for a job, its claim, its volumes and their directories that nothing before it has had, whichever test that was."""
        names = itertools.chain([wish], (f"{wish}{number}" for number in itertools.count(2)))
        new = next(name for name in names if name not in self._names)
        self._names.add(new)
        return new

    def plain_weights(self, steps):
        """What an uninterrupted run of the trainer, without agent or cluster, ends with."""
        with tempfile.TemporaryDirectory(dir=self.volumes) as directory:
            host.run(_BINARIES / "trainer", "--data", _DATA, "--dir", directory, "--steps", steps)
            return Path(directory, "final/weights.txt").read_bytes()
