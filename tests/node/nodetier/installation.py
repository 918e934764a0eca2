"""The chart as a person installs it: helm, the image of `make image`, the operator in pods under Pod Security "restricted"."""

from harness import wait
from harness.cluster import OPERATOR_NAMESPACE, ROOT, is_true

from . import host

CHART = ROOT / "charts/reprise"
_RELEASE = ("reprise", "--namespace", OPERATOR_NAMESPACE)
_WAIT = ("--wait", "--timeout", "180s")


class Installation:
    def __init__(self, tier, narration):
        self.tier = tier
        self.cluster = tier.cluster
        self.narration = narration

    def prepare(self, former=None):
        """The image on every machine, which no registry could give it, and a namespace that admits restricted pods alone.

        `former`: the image of the former release, to be there as well."""
        out = self.tier.cluster.state / "image"
        host.run(ROOT / "packaging/image/build", self.tier.build, out)
        archive, = out.glob("*.docker.tar")
        for machine in self.tier.nodes:
            if former:
                former.load(machine)
            machine.load(archive)
        self.cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {
            "name": OPERATOR_NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})

    def install(self, chart=CHART, *flags):
        self._helm("install", _RELEASE[0], str(chart), *_RELEASE[1:], *flags, *_WAIT)

    def upgrade(self, *flags):
        self._helm("upgrade", _RELEASE[0], str(CHART), *_RELEASE[1:], *flags, *_WAIT)

    def rollback(self, revision):
        self._helm("rollback", _RELEASE[0], str(revision), *_RELEASE[1:], *_WAIT)

    def uninstall(self):
        self._helm("uninstall", *_RELEASE, *_WAIT)
        wait.until("the operator's pods are gone", lambda: not self.cluster.list("pods", OPERATOR_NAMESPACE))

    def pods(self):
        """The operator's pods, without those that are on their way out."""
        return [pod for pod in self.cluster.list("pods", OPERATOR_NAMESPACE, "app.kubernetes.io/name=reprise")
                if "deletionTimestamp" not in pod["metadata"]]

    def uids(self):
        return {pod["metadata"]["uid"] for pod in self.pods()}

    def leader(self):
        """The pod that leads: its name begins the holder of the lease."""
        def found():
            lease = self.cluster.get("lease", "reprise-operator", OPERATOR_NAMESPACE)
            holder = lease["spec"]["holderIdentity"] if lease else ""
            return next((pod for pod in self.pods() if is_true(pod, "Ready") and holder.startswith(pod["metadata"]["name"])), None)
        return wait.until("a ready pod of the operator leads", found)

    def log(self):
        """What the operator's pods said last."""
        return self.cluster.run("kubectl", "logs", "--namespace", OPERATOR_NAMESPACE, "--selector", "app.kubernetes.io/name=reprise",
                                "--prefix", "--tail=40", check=False, timeout=60).stdout

    def _helm(self, *arguments):
        self.narration.run("helm", *arguments)
