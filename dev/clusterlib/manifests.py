"""What is applied to every new cluster, in order."""

from .paths import DEV
from .readiness import Unmet, wait_until


def apply_definitions(kubectl, tools):
    """Custom resource definitions of Karpenter and kwok; they must exist before either starts."""
    kubectl.run("apply", "--server-side", "-f", tools / "crds")
    kubectl.run("wait", "--for=condition=Established", "--timeout=120s", "-f", tools / "crds")


def apply_objects(kubectl):
    """Stages, storage, node class and system node."""
    kubectl.run("apply", "--server-side", "-f", DEV / "stages", "-f", DEV / "manifests")


def wait_for_basics(kubectl, with_kwok):
    """Without these the first pod of a test would be rejected or stay pending."""
    wait_until("the service account default/default", lambda: kubectl.get("serviceaccount", "default"), seconds=120)
    if with_kwok:
        wait_until("node system-0 to be Ready", lambda: _ready(kubectl.get("node", "system-0")), seconds=120)


def _ready(node):
    conditions = {} if node is None else {c["type"]: c["status"] for c in node["status"].get("conditions", [])}
    return True if conditions.get("Ready") == "True" else Unmet(conditions or "no conditions")
