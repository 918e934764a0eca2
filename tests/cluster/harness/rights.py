"""What the operator's roles grant, and what the audit log says it used of that: they must be the same in the end.

Each cluster of a run leaves a file in the directory REPRISE_RIGHTS; tests/cluster/run compares them when all tests ran.
"""

import json
import os
from pathlib import Path

from . import audit

ROLE = "reprise"

# Granted although a run of the suite may not use it, and why.
EXCEPTIONS = {
    ("reprise.dev", "gpupools/finalizers", "update"): "asked for by an admission plugin that local clusters do not run",
    ("reprise.dev", "resumablejobs/finalizers", "update"): "asked for by an admission plugin that local clusters do not run",
    ("events.k8s.io", "events", "patch"): "an Event becomes a series only when it repeats within minutes",
    ("", "pods/status", "patch"): "pods without a node are marked failed only when an attempt ends before they are placed",
    # Looks past the caches (read_live in controllers/), each before something is ended or given to another.
    ("", "nodes", "get"): "a node that no cache has shown, or whose machine identity is in doubt",
    ("", "pods", "get"): "a pod that the cache does not show any more, or whose name is taken",
    ("", "persistentvolumeclaims", "get"): "a claim whose name is taken",
    ("", "services", "get"): "a Service whose name is taken",
    ("karpenter.sh", "nodeclaims", "get"): "a NodeClaim that is to be ended, or that the cache does not show",
    ("karpenter.sh", "nodepools", "get"): "the NodePool of a NodeClaim that is to be ended",
    ("reprise.dev", "resumablejobs", "get"): "a job before its volume is given to another",
}
# For API servers that do not stream lists: a watch shows the same.
SHOWN_BY_WATCH = {"list"}


def granted(roles):
    """(group, resource or path, verb) of every rule of those Roles and ClusterRoles."""
    return {(group, resource, verb) for role in roles for rule in role["rules"]
            for group in rule.get("apiGroups", [""])
            for resource in rule.get("resources", []) + rule.get("nonResourceURLs", []) for verb in rule["verbs"]}


def used(entries, rights):
    """Which of `rights` the requests of an audit log needed, and (second) what was refused."""
    found, refused = set(), set()
    for entry in entries:
        right = _right(entry, rights)
        if entry["responseStatus"].get("code") == 403 and entry.get("annotations", {}).get("authorization.k8s.io/decision") != "allow":
            refused.add(right)
        else:
            found.add(right)
    return found & rights, refused


def _right(entry, rights):
    reference = entry.get("objectRef")
    if not reference or "resource" not in reference:
        path = entry["requestURI"].partition("?")[0].rstrip("/")
        pattern = f"{path[:path.index('/', 1)]}/*" if "/" in path[1:] else path
        return "", path if ("", path, "get") in rights else pattern, entry["verb"]
    resource = "/".join(filter(None, (reference["resource"], reference.get("subresource"))))
    return reference.get("apiGroup", ""), resource, entry["verb"]


def leave(cluster, user):
    """Writes what this cluster saw, for the comparison at the end."""
    directory = os.environ.get("REPRISE_RIGHTS")
    cluster_role = cluster.get("clusterrole", ROLE)
    if not directory or not cluster_role:
        return
    # With watchNamespaces and devicePlugin.namespace there are more Roles than those of every release.
    roles = [cluster_role, *cluster.list("roles", selector=f"app.kubernetes.io/instance={ROLE}")]
    rights = granted(roles)
    found, refused = used(audit.answered(cluster, user), rights)
    text = json.dumps({"granted": sorted(rights), "used": sorted(found), "refused": sorted(refused)})
    Path(directory, f"{cluster.name}.json").write_text(text)


def differences(directory, group=None):
    """Sentences about what is granted and unused, or refused; with `group`, unused of that API group alone."""
    seen = [json.loads(file.read_text()) for file in sorted(Path(directory).glob("*.json"))]
    union = {key: {tuple(right) for cluster in seen for right in cluster[key]} for key in ("granted", "used", "refused")}
    looked_at = {right for right in union["granted"] if group in (None, right[0])}
    for api, resource, verb in sorted(looked_at - union["used"] - EXCEPTIONS.keys()):
        if verb not in SHOWN_BY_WATCH or (api, resource, "watch") not in union["used"]:
            yield f"granted, but no request used it: {_text((api, resource, verb))}"
    if group and not looked_at:
        yield f"nothing of {group} is granted"
    for right in sorted(EXCEPTIONS.keys() - union["granted"] if group is None else ()):
        yield f"an exception in harness/rights.py that nothing grants: {_text(right)}"
    for right in sorted(union["refused"]):
        yield f"asked for, but not granted: {_text(right)}"
    if not seen:
        yield "no cluster left a list of the rights that the operator used"


def _text(right):
    group, resource, verb = right
    return f"{verb} {resource}{f' ({group})' if group else ''}"
