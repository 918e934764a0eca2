"""Counting a user's requests in the API server's audit log."""

import json
from collections import Counter

_READS = {"get", "list", "watch"}


class Requests:
    """The requests that a user sends between the making of this object and read()."""

    def __init__(self, path, user):
        self._path, self._user = path, user
        self._offset = path.stat().st_size

    def read(self):
        """Verb and resource -> number of requests received since the start."""
        found = {}
        with open(self._path, "rb") as log:
            log.seek(self._offset)
            for line in log:
                if not line.endswith(b"\n"):
                    break  # still being written
                event = json.loads(line)
                if event["user"].get("username") == self._user:
                    # A watch that ends now began before.
                    if not (event["stage"] == "ResponseComplete" and event["verb"] == "watch"):
                        found[event["auditID"]] = _name(event)
        return Counter(found.values())


def total(counts):
    return sum(counts.values())


def writes(counts):
    return sum(number for name, number in counts.items() if name.split()[0] not in _READS)


def _name(event):
    target = event.get("objectRef", {})
    parts = [target.get("resource", event["requestURI"].partition("?")[0]), target.get("subresource")]
    return f"{event['verb']} {'/'.join(part for part in parts if part)}"
