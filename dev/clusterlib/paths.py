"""Where things lie: the repository, the tools, one cluster's state."""

import re
import subprocess
from pathlib import Path

from .errors import ClusterError

DEV = Path(__file__).resolve().parent.parent
CLUSTERS = DEV.parent / ".cluster"
NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?")


def tools_directory():
    """The directory that holds bin/, crds/ and stages/; builds the tools if need be."""
    result = subprocess.run([DEV / "tools" / "build", "--path"], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise ClusterError("the cluster's tools could not be built (see above)")
    return Path(result.stdout.strip()).parent


def kubernetes_minor():
    """35 of Kubernetes 1.35, as the tools were built."""
    return int(re.search(r"^kubernetes v1\.(\d+)\.", (tools_directory() / "versions").read_text(), re.MULTILINE).group(1))


class State:
    """The directory of one cluster; `dev/cluster down` removes all of it."""

    def __init__(self, name):
        if not NAME.fullmatch(name):
            raise ClusterError(f"'{name}' is no cluster name: lower-case letters, digits and '-', at most 32")
        self.name = name
        self.root = CLUSTERS / name
        self.pki = self.root / "pki"
        self.logs = self.root / "logs"
        self.etcd = self.root / "etcd"
        self.kubeconfigs = self.root / "kubeconfigs"
        self.kubeconfig = self.root / "kubeconfig"
        self.audit_log = self.root / "audit.log"
        self.description = self.root / "cluster.json"

    def exists(self):
        return self.root.is_dir()

    def log(self, component):
        return self.logs / f"{component}.log"

    def make(self):
        for directory in (self.root, self.pki, self.logs, self.kubeconfigs):
            directory.mkdir(parents=True, exist_ok=True)
        self.root.chmod(0o700)  # keys and tokens lie here


def all_clusters():
    if not CLUSTERS.is_dir():
        return []
    return sorted(entry.name for entry in CLUSTERS.iterdir() if entry.is_dir() and NAME.fullmatch(entry.name))
