"""The operator as a process, with the chart's service account and nothing more."""

import os
import signal
import subprocess
import tempfile
import urllib.request
from pathlib import Path

import yaml

from . import wait
from .cluster import OPERATOR_NAMESPACE, ROOT


class Operator:
    """One replica. Its log is kept beside the cluster's own logs."""

    count = 0

    def __init__(self, cluster, preset=os.environ.get("PRESET", "dev"), account="reprise"):
        Operator.count += 1
        self.account = account
        self.cluster = cluster
        self.binary = ROOT / "build" / preset / "bin" / "reprise-operator"
        self.log = cluster.state / "logs" / f"operator-{Operator.count}.log"
        self.process = None
        self.health = ""
        self.metrics = ""

    @property
    def user(self):
        """The name under which the API server's audit log knows it."""
        return f"system:serviceaccount:{OPERATOR_NAMESPACE}:{self.account}"

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.resume()
            self.process.terminate()
            self.process.wait(timeout=40)

    def start(self, *flags, wait_until_ready=True):
        self.health, self.metrics = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, f"--kubeconfig={self._kubeconfig()}", "--log-level=debug",
                 f"--leader-election-namespace={OPERATOR_NAMESPACE}", f"--metrics-bind-address={self.metrics}",
                 f"--health-probe-bind-address={self.health}", "--agent-image=reprise-agent:test", *flags],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        if wait_until_ready:
            wait.until(f"operator {self.process.pid} is ready", self.ready)
        return self

    def ready(self):
        return wait.is_ready("operator", self.process, self.health, self.tail)

    def total(self, counter):
        """A counter of /metrics, summed over its labels."""
        with urllib.request.urlopen(f"http://{self.metrics}/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith((f"{counter}{{", f"{counter} ")))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        return self.start()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def tail(self, lines=40):
        return "\n".join(Path(self.log).read_text(errors="replace").splitlines()[-lines:])

    def _kubeconfig(self):
        token = self.cluster.kubectl("create", "token", self.account, "-n", OPERATOR_NAMESPACE, "--duration=24h").strip()
        config = yaml.safe_load(Path(self.cluster.kubeconfig).read_text())
        config["users"] = [{"name": "operator", "user": {"token": token}}]
        config["contexts"][0]["context"]["user"] = "operator"
        path = Path(tempfile.mkstemp(prefix="operator-", suffix=".kubeconfig", dir=self.cluster.state)[1])
        path.write_text(yaml.safe_dump(config))
        return path


def free_port():
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
