"""What the tests of the CRDs and the chart share: kubectl, helm, manifests and changes to them."""

import copy
import json
import os
import pathlib
import subprocess
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "charts" / "reprise"
RELEASE = "reprise"
OWN_NAMESPACE = "reprise-system"
NAMESPACE = "crds-test"
OPERATOR = f"system:serviceaccount:{OWN_NAMESPACE}:{RELEASE}"
# As the policies see the operator; the group has the rights that kubectl needs beside its own.
AS_OPERATOR = (f"--as={OPERATOR}", "--as-group=system:masters")
DROP = object()  # as a new value: the field is removed

POOL = {
    "apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool", "metadata": {"name": "t4"},
    "spec": {"nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
             "capacity": [{"type": "Spot"}]},
}
JOB = {
    "apiVersion": "reprise.dev/v1alpha1", "kind": "ResumableJob",
    "metadata": {"name": "finetune", "namespace": NAMESPACE},
    "spec": {
        "poolName": "t4",
        "checkpoint": {"path": "/checkpoints", "volume": {"claimTemplate": {"spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}}},
        "template": {"spec": {"containers": [
            {"name": "trainer", "image": "example/trainer", "command": ["train"],
             "resources": {"limits": {"reprise.dev/gpu": 1}}}]}},
    },
}


def run(*command, stdin=None):
    return subprocess.run([str(part) for part in command], input=stdin, capture_output=True, text=True, check=False)


def must(*command, stdin=None):
    done = run(*command, stdin=stdin)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def kubectl(*arguments, stdin=None):
    return must("kubectl", *arguments, stdin=stdin)


def get(*arguments):
    return json.loads(kubectl("get", *arguments, "-o", "json"))


def changed(manifest, changes):
    """A copy with values put at dotted paths; numbers are places in lists, `+` appends."""
    out = copy.deepcopy(manifest)
    for path, value in changes.items():
        *parents, last = split(path)
        place = out
        for part in parents:
            place = place[int(part)] if isinstance(place, list) else place.setdefault(part, {})
        if value is DROP:
            del place[int(last) if isinstance(place, list) else last]
        elif isinstance(place, list):
            place.append(value) if last == "+" else place.__setitem__(int(last), value)
        else:
            place[last] = value
    return out


def split(path):
    return path if isinstance(path, tuple) else path.split(".")


def create(manifest, *arguments):
    return run("kubectl", "create", "-f", "-", *arguments, stdin=json.dumps(manifest))


def try_create(manifest):
    """What the API server would store, or the message of its rejection."""
    done = create(manifest, "--dry-run=server", "-o", "json")
    return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr)


def errors_of_lint(manifest):
    """What `reprise lint` calls an error, without an API server; not what the operator would say later."""
    reprise = ROOT / "build" / os.environ.get("PRESET", "dev") / "bin" / "reprise"
    found = json.loads(run(reprise, "lint", "-f", "-", "-o", "json", stdin=json.dumps(manifest)).stdout)["findings"]
    return [finding for finding in found if finding["severity"] == "error" and not finding["rule"].startswith("operator/")]


def set_status(kind, name, status, namespace=None):
    where = ("-n", namespace) if namespace else ()
    kubectl("patch", kind, name, *where, "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}), *AS_OPERATOR)


def condition(kind, status, reason, generation):
    return {"type": kind, "status": status, "reason": reason, "message": "", "observedGeneration": generation,
            "lastTransitionTime": "2026-11-21T09:00:00Z"}


def install():
    """The chart brings the definitions; safe to call again."""
    must("helm", "upgrade", "--install", RELEASE, CHART, "--namespace", OWN_NAMESPACE, "--create-namespace")
    for kind in ("gpupools", "resumablejobs"):
        kubectl("wait", "--for=condition=Established", f"crd/{kind}.reprise.dev", "--timeout=30s")
    if run("kubectl", "get", "namespace", NAMESPACE).returncode != 0:
        kubectl("create", "namespace", NAMESPACE)
    probe = {"metadata.name": "probe"}
    eventually(lambda: try_create(changed(POOL, probe))[0] and try_create(changed(JOB, probe))[0])


def remove_objects():
    kubectl("delete", "resumablejobs", "--all", "-n", NAMESPACE, "--wait=false")
    for pool in get("gpupools")["items"]:
        set_status("gpupool", pool["metadata"]["name"], {"jobs": 0})
    kubectl("delete", "gpupools", "--all")


def eventually(holds, seconds=30):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise AssertionError("did not come true")
        time.sleep(0.2)


def definition(kind):
    return yaml.safe_load((ROOT / "crds" / f"reprise.dev_{kind}.yaml").read_text())


def schema(kind):
    return definition(kind)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


FOREIGN = ("spec.template", "spec.checkpoint.volume.claimTemplate.spec")


def own_fields(node, path=""):
    """(path, schema) of every field that is ours: not those of the pod template and the claim."""
    for name, below in node.get("properties", {}).items():
        if not path and name == "metadata":
            continue
        where = f"{path}.{name}" if path else name
        yield where, below
        if where not in FOREIGN:
            yield from own_fields(below, where)
            yield from own_fields(below.get("items", {}), where)


def own_rules(node, path=""):
    for rule in node.get("x-kubernetes-validations", ()):
        yield rule["message"]
    if path in FOREIGN:
        return
    for name, below in node.get("properties", {}).items():
        yield from own_rules(below, f"{path}.{name}" if path else name)
    if "items" in node:
        yield from own_rules(node["items"], path)
