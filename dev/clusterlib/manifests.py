"""What is applied to every new cluster, in order."""

import json

from .paths import DEV, kubernetes_minor
from .readiness import Unmet, wait_until


def apply_definitions(kubectl, tools):
    """Custom resource definitions of Karpenter and kwok; they must exist before either starts."""
    kubectl.run("apply", "--server-side", "-f", tools / "crds")
    kubectl.run("wait", "--for=condition=Established", "--timeout=120s", "-f", tools / "crds")


def apply_objects(kubectl):
    """Stages, storage, node class and system node, and what the API server makes of new Nodes."""
    kubectl.run("apply", "--server-side", "-f", DEV / "stages", "-f", DEV / "manifests")
    for file in (DEV / "manifests/admission").glob("*.yaml"):
        text = file.read_text()
        if kubernetes_minor() < 36:
            text = text.replace("admissionregistration.k8s.io/v1\n", "admissionregistration.k8s.io/v1beta1\n")
        kubectl.run("apply", "--server-side", "-f", "-", input=text)


def wait_for_admission(kubectl):
    """The API server takes a policy up a moment after it was made: no pod that Karpenter would rent a machine for may come before."""
    taint = {"key": "karpenter.sh/unregistered", "effect": "NoExecute"}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "tried"}, "spec": {"taints": [taint]}}

    def begins_unready():
        made = json.loads(kubectl.run("create", "--dry-run=server", "-o", "json", "-f", "-", input=json.dumps(node)))
        conditions = made.get("status", {}).get("conditions", [])
        return any(one["type"] == "Ready" and one["status"] == "False" for one in conditions) or Unmet(conditions)
    wait_until("new machines to begin as not Ready (dev/manifests/admission)", begins_unready, seconds=60, every=0.2)


def wait_for_basics(kubectl, with_kwok):
    """Without these the first pod of a test would be rejected or stay pending."""
    wait_until("the service account default/default", lambda: kubectl.get("serviceaccount", "default"), seconds=120)
    if with_kwok:
        wait_until("node system-0 to be Ready", lambda: _ready(kubectl.get("node", "system-0")), seconds=120)


def _ready(node):
    conditions = {} if node is None else {c["type"]: c["status"] for c in node["status"].get("conditions", [])}
    return True if conditions.get("Ready") == "True" else Unmet(conditions or "no conditions")
