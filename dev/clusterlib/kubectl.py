"""The cluster's own kubectl."""

import json
import subprocess

from .errors import ClusterError


class Kubectl:
    def __init__(self, binary, kubeconfig):
        self._base = [str(binary), f"--kubeconfig={kubeconfig}"]

    def run(self, *arguments, input=None, check=True):
        result = subprocess.run([*self._base, *map(str, arguments)], input=input, capture_output=True, text=True)
        if check and result.returncode != 0:
            raise ClusterError(f"kubectl {' '.join(map(str, arguments))} failed:\n{result.stderr.strip()}")
        return result.stdout if result.returncode == 0 else None

    def get(self, *arguments):
        """The object or list as a dictionary; None when it does not exist (or cannot be read)."""
        output = self.run("get", "-o", "json", *arguments, check=False)
        return json.loads(output) if output else None
