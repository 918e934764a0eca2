"""Running one sample operator."""

import json
import os
import select
import subprocess
import time

from .errors import BenchError
from .server import OPERATOR

VARIANTS = ("default", "stripped", "slim")


class Operator:
    """A running operator; ends with the `with` block."""

    def __init__(self, name, binary, variant, keys):
        self.name = name
        self._log = keys.root / "operator.log"
        self.started = time.monotonic()
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                [str(binary), "--kubeconfig", str(keys.kubeconfig(OPERATOR)), "--variant", variant],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        self._unread = b""
        self.pid = self._process.pid

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self._process.terminate()
        try:
            code = self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            code = "none within 10 s"
        if kind is None and code != 0:
            raise BenchError(f"{self.name} ended with {code} on SIGTERM, not with 0{self._said()}")

    def await_event(self, event, count, timeout=120):
        """Returns the seconds since the start at which the operator said the event."""
        line = self._read_line(time.monotonic() + timeout)
        at = time.monotonic() - self.started
        if not line:
            raise BenchError(f"{self.name} did not say '{event}' within {timeout} s{self._said()}")
        said = json.loads(line)
        if (said.get("event"), said.get("count")) != (event, count):
            raise BenchError(f"{self.name} said {line.strip()} where '{event}' with {count} BenchJobs was due")
        return at

    def _read_line(self, deadline):
        """Empty when the operator has ended or the time is over."""
        pipe = self._process.stdout.fileno()
        while b"\n" not in self._unread:
            ready, _, _ = select.select([pipe], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(pipe, 4096) if ready else b""
            if not chunk:
                return ""
            self._unread += chunk
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode()

    def _said(self):
        lines = self._log.read_text(errors="replace").splitlines()[-10:]
        return "; its last errors:\n" + "\n".join(lines) if lines else ""
