"""What does the job: a process with a service account of its own, and how its jobs are written."""

import json
import os
import signal
import subprocess
import time

import yaml

from harness.errors import BenchError

from clusterlib import ports

NAMESPACE = "bench"
_STOP_SECONDS = 60


class Contender:
    """What is common. `users` are those whose requests are made on behalf of jobs."""

    name = ""
    namespace = account = ""  # the service account's
    path = label = required = ""  # see bench/operator/load/main.go
    helpers = ()  # components of the cluster that do a part of the job

    def __init__(self, cluster):
        self.cluster = cluster
        self.process = None
        self.ports = ports.free_ports(("metrics", "health", "webhooks"))

    @property
    def user(self):
        return f"system:serviceaccount:{self.namespace}:{self.account}"

    @property
    def users(self):
        return (self.user,)

    def install(self):
        raise NotImplementedError

    def command(self):
        raise NotImplementedError

    def manifest(self, ranks):
        raise NotImplementedError

    def start(self):
        with open(self.cluster.log(self.name), "ab") as log:
            self.process = subprocess.Popen([str(word) for word in self.command()], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, env={**os.environ, "KUBECONFIG": str(self._kubeconfig())})
        return self.process.pid

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def require_alive(self):
        if self.process.poll() is not None:
            tail = self.cluster.log(self.name).read_text(errors="replace").splitlines()[-20:]
            raise BenchError(f"{self.name} ended with {self.process.returncode}; its last output:\n" + "\n".join(tail))

    def wait_until_served(self, path):
        """Until the API server lists objects of a kind that has just been defined."""
        wait_for(f"the API server to serve {path}", lambda: self.cluster.kubectl.run("get", "--raw", path, check=False))

    def write_manifest(self, ranks):
        file = self.cluster.state.root / f"{self.name}-job.json"
        file.write_text(json.dumps(self.manifest(ranks)))
        return file

    def _kubeconfig(self):
        file = self.cluster.state.root / f"{self.name}.kubeconfig"
        if not file.exists():
            token = self.cluster.kubectl.run("create", "token", self.account, "-n", self.namespace, "--duration=24h").strip()
            config = yaml.safe_load(self.cluster.state.kubeconfig.read_text())
            config["users"] = [{"name": "contender", "user": {"token": token}}]
            config["contexts"][0]["context"]["user"] = "contender"
            file.touch(mode=0o600)
            file.write_text(yaml.safe_dump(config))
        return file


def pod_spec(volumes=()):
    """The same trainer for all: no GPU, a volume for its checkpoints."""
    mounts = [{"name": "checkpoints", "mountPath": "/checkpoints"}] if volumes is not None else []
    return {"terminationGracePeriodSeconds": 30,
            "containers": [{"name": "trainer", "image": "example/trainer:1", "command": ["train"],
                            "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}, "volumeMounts": mounts}]}


# A deleted pod's containers end soon, so that a run is short; see dev/README.md.
POD_METADATA = {"annotations": {"reprise.test/stop-after-milliseconds": "200"}}
CLAIM = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}


def wait_for(what, look, seconds=120):
    end = time.monotonic() + seconds
    while not look():
        if time.monotonic() > end:
            raise BenchError(f"waited {seconds} s in vain for {what}")
        time.sleep(0.05)
