"""Who wrote what, from the API server's audit log."""

import json

WRITES = {"create", "update", "patch", "delete", "deletecollection"}


def answered(cluster, user):
    """The audit entries of what `user` asked and was answered."""
    with open(cluster.state / "audit.log") as log:
        for line in log:
            if not line.endswith("\n"):
                return  # being written
            entry = json.loads(line)
            # A client that is killed while it connects leaves a request of nobody.
            if entry["user"].get("username") == user and entry["stage"] == "ResponseComplete":
                yield entry


def requests_by(cluster, user):
    """How many requests of `user` were answered, of whatever verb; a watch counts when it ends."""
    return sum(1 for _ in answered(cluster, user))


def writes_by(cluster, user, leases=False):
    """The write requests of `user` in order: dicts with verb, resource, name, code, time (RFC 3339)."""
    found = []
    for entry in answered(cluster, user):
        if entry["verb"] not in WRITES:
            continue
        reference = entry.get("objectRef", {})
        if reference.get("resource") == "leases" and not leases:
            continue
        found.append({"verb": entry["verb"], "resource": reference.get("resource", ""),
                      "subresource": reference.get("subresource", ""), "name": reference.get("name", ""),
                      "namespace": reference.get("namespace", ""), "code": entry["responseStatus"].get("code"),
                      "time": entry["requestReceivedTimestamp"], "agent": entry.get("userAgent", "")})
    return found
