"""The operator under test as a process behind a proxy."""

import os
import re
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from clusterlib import ports
from harness import wait
from .server import ROOT


PRESET = os.environ.get("PRESET", "dev")


def mirror(kubeconfig, **flags):
    """The command of the small operator in tests/faults/operator. Underscores stand for dashes: idle_timeout=3000."""
    return lambda metrics, health: [
        ROOT / "build" / PRESET / "bin/faults_operator", f"--kubeconfig={kubeconfig}", f"--metrics={metrics}",
        f"--health={health}", *(f"--{flag.replace('_', '-')}={value}" for flag, value in flags.items())]


def reprise(kubeconfig, namespace):
    """The command of the real one."""
    return lambda metrics, health: [
        ROOT / "build" / PRESET / "bin/reprise-operator", f"--kubeconfig={kubeconfig}", "--log-level=debug",
        f"--leader-election-namespace={namespace}", f"--metrics-bind-address={metrics}",
        f"--health-probe-bind-address={health}", "--agent-image=reprise-agent:test"]


class Operator:
    """A process; `command` is given the addresses of its metrics and its health."""

    def __init__(self, folder, command):
        taken = ports.free_ports(("metrics", "health"))
        self.metrics, self.health = (f"127.0.0.1:{taken[name]}" for name in ("metrics", "health"))
        self.log = folder / f"operator-{taken['metrics']}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command(self.metrics, self.health), stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL)

    def close(self):
        """Ends it, gently first. Its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(timeout=40)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode

    def alive(self):
        return self.process.poll() is None

    def answer(self, path):
        """(status, text) of the health server; 0 when there is none."""
        try:
            with urllib.request.urlopen(f"http://{self.health}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def wait_until_ready(self, seconds=60):
        wait.until("the operator is ready", lambda: self.alive() and self.answer("/readyz")[0] == 200, seconds)
        return self

    def total(self, metric, **labels):
        """A metric, summed over all labels but those given."""
        with urllib.request.urlopen(f"http://{self.metrics}/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.split()[-1]) for line in lines
                   if re.match(rf"{metric}[{{ ]", line)
                   and all(f'{label}="{value}"' in line for label, value in labels.items()))

    def wrote(self):
        """How many copies it made, changed and deleted, as it counts them itself."""
        return tuple(int(self.total("mirror_writes_total", verb=verb)) for verb in ("create", "patch", "delete"))

    def resident_mib(self):
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) / 1024

    def tail(self, lines=40):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
