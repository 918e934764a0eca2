"""The peer: the JobSet controller; the pods are made by the controller-manager's Job controller."""

import socket
import subprocess
from pathlib import Path

import yaml

from harness.errors import BenchError
from harness.places import REPOSITORY

from .contender import CLAIM, NAMESPACE, POD_METADATA, Contender, pod_spec, wait_for


class JobSet(Contender):
    name = "jobset"
    namespace, account = "jobset-system", "jobset"
    path = f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{NAMESPACE}/jobsets"
    label = required = "jobset.sigs.k8s.io/jobset-name"
    helpers = ("kube-controller-manager",)

    def __init__(self, cluster):
        super().__init__(cluster)
        done = subprocess.run([REPOSITORY / "dev/tools/build-jobset"], stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise BenchError("the JobSet controller could not be built (see above)")
        self._built = Path(done.stdout.strip())

    @property
    def users(self):
        return (self.user, "system:serviceaccount:kube-system:job-controller")

    def install(self):
        kubectl = self.cluster.kubectl
        kubectl.run("apply", "--server-side", "-f", self._built / "crd.yaml")
        self.wait_until_served(self.path)
        kubectl.run("create", "namespace", self.namespace)
        kubectl.run("create", "serviceaccount", self.account, "-n", self.namespace)
        kubectl.run("create", "clusterrolebinding", "jobset", "--clusterrole=cluster-admin",
                    f"--serviceaccount={self.namespace}:{self.account}")

    def command(self):
        root = self.cluster.state.root / "jobset"
        root.mkdir(exist_ok=True)
        for source, target in (("apiserver.crt", "tls.crt"), ("apiserver.key", "tls.key")):
            (root / target).write_bytes((self.cluster.state.pki / source).read_bytes())
        (root / "config.yaml").write_text(yaml.safe_dump({
            "apiVersion": "config.jobset.x-k8s.io/v1alpha1", "kind": "Configuration",
            "leaderElection": {"leaderElect": True, "resourceNamespace": self.namespace},
            "internalCertManagement": {"enable": False}, "metrics": {"bindAddress": "0"},
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self.ports['health']}"},
            "webhook": {"host": "127.0.0.1", "port": self.ports["webhooks"], "certDir": str(root)}}))
        return [self._built / "jobset-controller", f"--config={root / 'config.yaml'}", "--zap-log-level=error"]

    def start(self):
        process = super().start()
        wait_for("the JobSet controller's webhooks", self._listens)
        self.cluster.kubectl.run("apply", "-f", "-", input=yaml.safe_dump_all(self._webhooks()))
        return process

    def manifest(self, ranks):
        spec = {**pod_spec(), "restartPolicy": "Never"}
        return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "NAME", "namespace": NAMESPACE},
                "spec": {"failurePolicy": {"maxRestarts": 1000},
                         "volumeClaimPolicies": [{"templates": [{"metadata": {"name": "checkpoints"}, "spec": CLAIM}],
                                                  "retentionPolicy": {"whenDeleted": "Retain"}}],
                         "replicatedJobs": [{"name": "ranks", "replicas": 1, "template": {"spec": {
                             "parallelism": ranks, "completions": ranks, "backoffLimit": 0,
                             "template": {"metadata": POD_METADATA, "spec": spec}}}}]}}

    def _listens(self):
        self.require_alive()
        try:
            socket.create_connection(("127.0.0.1", self.ports["webhooks"]), timeout=1).close()
            return True
        except OSError:
            return False

    def _webhooks(self):
        """The release's webhooks, reached by address; pods only where they belong to a JobSet, as released."""
        authority = yaml.safe_load(self.cluster.state.kubeconfig.read_text())["clusters"][0]["cluster"]["certificate-authority-data"]
        for configuration in yaml.safe_load_all((self._built / "webhooks.yaml").read_text()):
            configuration["metadata"]["name"] = "jobset-" + configuration["metadata"]["name"]
            for webhook in configuration["webhooks"]:
                where = webhook["clientConfig"].pop("service")["path"]
                webhook["clientConfig"] = {"url": f"https://127.0.0.1:{self.ports['webhooks']}{where}", "caBundle": authority}
                if "pods" in webhook["rules"][0]["resources"]:
                    webhook["objectSelector"] = {"matchExpressions": [{"key": self.label, "operator": "Exists"}]}
            yield configuration
