"""The shipped operator: the release binary with the chart's service account."""

import urllib.request

from harness.places import REPOSITORY

from .contender import CLAIM, NAMESPACE, POD_METADATA, Contender, pod_spec, wait_for


class Reprise(Contender):
    name = "reprise"
    namespace, account = "reprise-system", "reprise"
    path = f"/apis/reprise.dev/v1alpha1/namespaces/{NAMESPACE}/resumablejobs"
    label, required = "reprise.dev/job", "reprise.dev/attempt"

    def __init__(self, cluster, binary):
        super().__init__(cluster)
        self._binary = binary

    def install(self):
        self.cluster.helm("install", "reprise", str(REPOSITORY / "charts/reprise"), "--namespace", self.namespace,
                          "--create-namespace")
        for path in (self.path, "/apis/reprise.dev/v1alpha1/gpupools"):
            self.wait_until_served(path)

    def command(self):
        return [*self._binary, f"--leader-election-namespace={self.namespace}", "--agent-image=reprise-agent:bench",
                f"--metrics-bind-address=127.0.0.1:{self.ports['metrics']}",
                f"--health-probe-bind-address=127.0.0.1:{self.ports['health']}"]

    def start(self):
        process = super().start()
        wait_for("the operator to be ready", self._ready)
        return process

    def manifest(self, ranks):
        spec = pod_spec(volumes=None)  # the operator mounts the volume itself
        return {"apiVersion": "reprise.dev/v1alpha1", "kind": "ResumableJob",
                "metadata": {"name": "NAME", "namespace": NAMESPACE},
                "spec": {"parallelism": ranks,
                         "checkpoint": {"path": "/checkpoints", "graceSeconds": 10,
                                        "volume": {"access": "Shared", "claimTemplate": {"spec": CLAIM}}},
                         "template": {"metadata": POD_METADATA, "spec": spec}}}

    def _ready(self):
        self.require_alive()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports['health']}/readyz", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False
