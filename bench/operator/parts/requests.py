"""Requests from the API server's audit log: by user, verb and kind."""

import json
from collections import Counter

READS = {"get", "list", "watch"}


class Requests:
    """What is answered between the making of this object and read()."""

    def __init__(self, path):
        self._path = path
        self._offset = path.stat().st_size

    def read(self):
        """(user, "verb resource/subresource") -> number. A watch counts when it ends."""
        return self._read()[0]

    def more(self):
        """As read(), of what came since the last call."""
        found, self._offset = self._read()
        return found

    def _read(self):
        found, end = Counter(), self._offset
        with open(self._path, "rb") as log:
            log.seek(self._offset)
            for line in log:
                if not line.endswith(b"\n"):
                    break  # still being written
                end += len(line)
                event = json.loads(line)
                if event["stage"] == "ResponseComplete":
                    found[event["user"].get("username", ""), _kind(event)] += 1
        return found, end


def of(counts, users):
    """"verb kind" -> number, of these users, without their leases."""
    found = Counter()
    for (user, kind), number in counts.items():
        if user in users and not kind.endswith(" leases"):
            found[kind] += number
    return found


def writes(counts):
    return sum(number for kind, number in counts.items() if kind.split()[0] not in READS)


def _kind(event):
    target = event.get("objectRef", {})
    parts = [target.get("resource", event["requestURI"].partition("?")[0]), target.get("subresource")]
    return f"{event['verb']} {'/'.join(part for part in parts if part)}"
