"""Claims are bound, protected while in use, and go with their volumes."""

from .context import expect, pod

_MODES = {"many": "ReadWriteMany", "once": "ReadWriteOnce", "one-pod": "ReadWriteOncePod"}


def claims_are_bound_protected_and_removed(context):
    for name, mode in _MODES.items():
        context.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
                        "spec": {"accessModes": [mode], "resources": {"requests": {"storage": "1Gi"}}}})
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in _MODES]
    context.create(pod("reader", volumes=volumes))
    context.await_phase("reader", "Running")
    for name in _MODES:
        expect(f"phase of claim {name}", context.kubectl.get("pvc", name)["status"]["phase"], "Bound")
    context.kubectl.run("delete", "pvc", *_MODES, "--wait=false")
    claim = context.kubectl.get("pvc", "many")
    expect("protection of a claim in use", claim["metadata"].get("finalizers"), ["kubernetes.io/pvc-protection"])
    context.kubectl.run("delete", "pod", "reader")
    for name in _MODES:
        context.await_gone("pvc", name)
    context.await_gone("pv", claim["spec"]["volumeName"])


ALL = (claims_are_bound_protected_and_removed,)
