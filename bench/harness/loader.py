"""Calling the load generator."""

import json
import resource
import subprocess

from .errors import BenchError
from .server import LOADER


class Loader:
    def __init__(self, binary, keys):
        self._command = [str(binary), "--kubeconfig", str(keys.kubeconfig(LOADER))]

    def run(self, *arguments, meter=None, **flags):
        """Does a trial and returns what it found; its CPU time counts as ours in meter."""
        given = [f"--{name.replace('_', '-')}={value}" for name, value in flags.items()]
        before = _children_seconds()
        result = subprocess.run([*self._command, *given, *map(str, arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        if meter:
            meter.add(_children_seconds() - before)
        if result.returncode != 0:
            raise BenchError(f"trial {' '.join(map(str, arguments))}: {result.stderr.strip()}")
        return json.loads(result.stdout)


def _children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
