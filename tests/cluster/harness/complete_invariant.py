"""The invariant of Complete, read off a watch log: at that moment every rank of the last attempt had ended by itself with 0."""

import json

from .cluster import is_true


class CompleteTooEarly(AssertionError):
    """A job was called complete that was not, or a finished one changed its mind."""


def _record(status):
    try:
        record = json.loads(status["state"]["terminated"].get("message", ""))
        return record if isinstance(record, dict) else {}
    except ValueError:
        return {}


def _finished(pod):
    """The trainer ended with 0: without a request as far as the objects tell, or finished as its own agent reports."""
    trainer = pod.get("status", {}).get("containerStatuses", [{}])[0]
    if trainer.get("state", {}).get("terminated", {}).get("exitCode") != 0:
        return False
    record = _record(trainer)
    return record.get("finished") or ("deletionTimestamp" not in pod["metadata"] and not record.get("asked"))


def check_complete(entries):
    """Replays WatchLog.in_order(); returns the names of the jobs that became Complete, each rightly and for good."""
    pods = {}  # (job uid, attempt) -> {pod uid: last state}
    complete = {}
    for kind, type_, thing in entries:
        meta = thing["metadata"]
        if kind == "pods" and "reprise.dev/attempt" in meta.get("labels", {}):
            key = meta["labels"]["reprise.dev/job-uid"], int(meta["labels"]["reprise.dev/attempt"])
            pods.setdefault(key, {})[meta["uid"]] = thing
        if kind != "resumablejobs" or type_ == "DELETED":
            continue
        if not is_true(thing, "Complete"):
            if meta["uid"] in complete:
                raise CompleteTooEarly(f"{meta['name']} was complete and is not any more")
            continue
        if meta["uid"] in complete:
            continue
        ranks = pods.get((meta["uid"], thing["status"]["attempt"]), {}).values()
        running = [pod["metadata"]["name"] for pod in ranks if not _finished(pod)]
        if running or len(ranks) != thing["spec"].get("parallelism", 1):
            raise CompleteTooEarly(f"{meta['name']} is Complete, but {running or 'pods that never were'} had not finished")
        complete[meta["uid"]] = meta["name"]
    return sorted(complete.values())
