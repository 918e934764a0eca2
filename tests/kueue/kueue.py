"""The real Kueue controller beside a cluster of the tests: its CRDs, its webhooks, its scheduler."""

import base64
import os
import subprocess
from pathlib import Path

import yaml

from harness import wait
from harness.cluster import ROOT
from harness.operator import free_port


def directory():
    """Where dev/tools/build-kueue puts it, now or once before."""
    return subprocess.run([ROOT / "dev/tools/build-kueue"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


class Kueue:
    def __init__(self, cluster):
        self.cluster = cluster
        self.built = directory()
        self.home = cluster.state / "kueue"
        self.log = cluster.state / "logs" / "kueue.log"
        self.process = None

    def __enter__(self):
        self.home.mkdir()
        self._make_certificate()
        self.cluster.kubectl("apply", "--server-side", "-f", f"{self.built}/crds")
        for kind in ("workloads", "clusterqueues", "localqueues", "resourceflavors", "workloadpriorityclasses"):
            wait.until(f"the API server serves {kind}",
                       lambda kind=kind: self.cluster.run("kubectl", "get", f"{kind}.kueue.x-k8s.io", check=False).returncode == 0)
        self.cluster.kubectl("create", "namespace", "kueue-system")
        self.start()
        self._register_webhooks()
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=30)

    def start(self):
        self.health, self.port = free_port(), free_port()
        configuration = {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self.health}"},
            "metrics": {"bindAddress": "0"},
            "webhook": {"host": "127.0.0.1", "port": self.port, "certDir": str(self.home)},
            "leaderElection": {"leaderElect": False},
            "internalCertManagement": {"enable": False},
            "clientConnection": {"qps": 100, "burst": 200},
            "integrations": {"frameworks": ["batch/job"], "externalFrameworks": ["ResumableJob.v1alpha1.reprise.dev"]},
            "featureGates": {"VisibilityOnDemand": False, "PriorityBoost": True},
        }
        (self.home / "configuration.yaml").write_text(yaml.safe_dump(configuration))
        # It wants a certificate for metrics, which are off, at a fixed place in /etc: one of its own, that nobody else sees.
        script = ('mkdir -p "$1/upper" "$1/work" && mount -t overlay overlay -o "lowerdir=/etc,upperdir=$1/upper,workdir=$1/work" /etc && '
                  'mkdir -p /etc/kueue/metrics/certs && cp "$1/tls.crt" "$1/tls.key" /etc/kueue/metrics/certs && '
                  'exec "$2" --config "$1/configuration.yaml" --zap-log-level=2')
        environment = dict(os.environ, KUBECONFIG=self.cluster.kubeconfig)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(["unshare", "--mount", "sh", "-ec", script, "kueue", str(self.home), f"{self.built}/kueue"],
                                            stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment)
        wait.until("kueue is ready", self._ready, 90)

    def _ready(self):
        return wait.is_ready("kueue", self.process, f"127.0.0.1:{self.health}", self.tail)

    def tail(self, lines=40):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def _make_certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
                        "-subj", "/CN=kueue", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.home / "tls.key",
                        "-out", self.home / "tls.crt"], check=True, capture_output=True)

    def _register_webhooks(self):
        """As its own manifest has them; of other kinds than Kueue's own nothing is served here."""
        bundle = base64.b64encode((self.home / "tls.crt").read_bytes()).decode()
        configurations = []
        for configuration in yaml.safe_load_all(Path(f"{self.built}/webhooks.yaml").read_text()):
            own = [hook for hook in configuration["webhooks"]
                   if all(rule["apiGroups"] == ["kueue.x-k8s.io"] for rule in hook["rules"])]
            for hook in own:
                path = hook["clientConfig"]["service"]["path"]
                hook["clientConfig"] = {"url": f"https://127.0.0.1:{self.port}{path}", "caBundle": bundle}
            configurations.append(dict(configuration, webhooks=own))
        self.cluster.apply(*configurations)


def flavor(name="t4", **labels):
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": name},
            "spec": {"nodeLabels": labels} if labels else {}}


def cluster_queue(name, units, flavor="t4", **spec):
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": name},
            "spec": {"namespaceSelector": {}, "preemption": {"withinClusterQueue": "LowerPriority"},
                     "resourceGroups": [{"coveredResources": ["reprise.dev/gpu"], "flavors": [
                         {"name": flavor, "resources": [{"name": "reprise.dev/gpu", "nominalQuota": units}]}]}], **spec}}


def local_queue(name, cluster_queue, namespace="vision"):
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "metadata": {"name": name, "namespace": namespace},
            "spec": {"clusterQueue": cluster_queue}}


def priority_class(name, value):
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "WorkloadPriorityClass", "metadata": {"name": name}, "value": value}
