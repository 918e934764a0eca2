"""The example controller of docs/runtime/tutorial.md as a process."""

import os
import subprocess
from pathlib import Path

from .cluster import ROOT


class Greeter:
    binary = ROOT / "build" / os.environ.get("PRESET", "dev") / "bin" / "greeter"

    def __init__(self, cluster):
        self.cluster = cluster
        self.log = cluster.state / "logs" / "greeter.log"
        self.process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=40)

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([self.binary], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                            env=dict(os.environ, KUBECONFIG=self.cluster.kubeconfig))
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def terminate(self):
        """SIGTERM; the exit code."""
        self.process.terminate()
        return self.process.wait(timeout=40)

    def tail(self, lines=40):
        return "\n".join(Path(self.log).read_text(errors="replace").splitlines()[-lines:])
