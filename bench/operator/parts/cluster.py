"""A cluster of the run's own, without Karpenter, whose components are not throttled."""

import subprocess

from harness.errors import BenchError

from clusterlib import description, lock, paths, processes, startup, teardown
from clusterlib.kubectl import Kubectl

COMPONENTS = ("kube-apiserver", "etcd", "kube-controller-manager", "kube-scheduler", "kwok")

# Defaults of 20 and 50 requests a second would measure the throttle of the controller-manager and of the
# scheduler. Nodes report rarely, so that a thousand of them do not load the API server at rest.
_SETTINGS = ["karpenter=off", "nodeGraceSeconds=3600",
             "kube-controller-manager.kube-api-qps=1000", "kube-controller-manager.kube-api-burst=1000",
             "kube-controller-manager.node-monitor-period=60s",
             "kube-controller-manager.concurrent-job-syncs=16",
             "kube-scheduler.kube-api-qps=1000", "kube-scheduler.kube-api-burst=1000",
             "etcd.quota-backend-bytes=8589934592"]
# Nobody plays the nodes: they are Ready once and for all.
_STILL = ["kwok=off", "kube-controller-manager.controllers=*,-cloud-node-lifecycle-controller,-node-lifecycle-controller"]


class Cluster:
    def __init__(self, name, still=False):
        self.state = paths.State(name)
        self._still = still

    def __enter__(self):
        self._down()
        with lock.held(self.state.root):
            startup.up(self.state, _SETTINGS + (_STILL if self._still else []))
        self.tools = description.load(self.state).tools_path() / "bin"
        self.kubectl = Kubectl(self.tools / "kubectl", self.state.kubeconfig)
        self.processes = {name: process for name, process in processes.running(self.state).items() if name in COMPONENTS}
        return self

    def __exit__(self, *_):
        self._down()

    def helm(self, *arguments):
        done = subprocess.run([self.tools / "helm", *arguments], capture_output=True, text=True,
                              env={"KUBECONFIG": str(self.state.kubeconfig), "HOME": str(self.state.root), "PATH": "/usr/bin:/bin"})
        if done.returncode:
            raise BenchError(f"helm {arguments[0]} failed:\n{done.stderr}")

    def log(self, name):
        return self.state.log(name)

    def _down(self):
        if self.state.exists():
            with lock.held(self.state.root):
                teardown.down(self.state)
