"""The nodes behind pods, and a finalizer that keeps one from going."""

import contextlib
import json

from . import wait

HOLD = "reprise.test/hold"


def node_of(cluster, pod):
    return cluster.get("node", pod["spec"]["nodeName"])


def claim_of(cluster, pod):
    """The NodeClaim behind the node of a pod."""
    # Karpenter writes it a moment after it has let pods onto the machine.
    return wait.until("the machine's NodeClaim names its Node", lambda: next(
        (claim for claim in cluster.list("nodeclaims") if claim.get("status", {}).get("nodeName") == pod["spec"]["nodeName"]), None))


@contextlib.contextmanager
def held(cluster, claim):
    """While inside, the NodeClaim stays in the API, as it does while the provider has not ended the instance."""
    name = claim["metadata"]["name"]
    add = [{"op": "add", "path": "/metadata/finalizers/-", "value": HOLD}]
    cluster.kubectl("patch", "nodeclaim", name, "--type=json", "-p", json.dumps(add))
    try:
        yield
    finally:
        release(cluster, name)


def release(cluster, name):
    def released():
        claim = cluster.get("nodeclaim", name)
        if not claim or HOLD not in claim["metadata"].get("finalizers", []):
            return True
        kept = claim["metadata"]["finalizers"]
        patch = [{"op": "test", "path": "/metadata/finalizers", "value": kept},
                 {"op": "replace", "path": "/metadata/finalizers", "value": [one for one in kept if one != HOLD]}]
        done = cluster.run("kubectl", "patch", "nodeclaim", name, "--type=json", "-p", json.dumps(patch), check=False)
        return done.returncode == 0
    wait.until(f"nodeclaim {name} is let go", released)


def only_held(cluster, claim):
    """True once everybody but the test has let go of the NodeClaim: Karpenter has ended what it can."""
    found = cluster.get("nodeclaim", claim["metadata"]["name"])
    return found and found["metadata"].get("finalizers") == [HOLD]
