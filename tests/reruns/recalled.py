"""Classes of a tier that goes on where it was stopped: what passed is recalled, and so is what failed.

Without that a failure would be gone whoever stops the tier in time, and calling a tier again until all have passed once would let
any number of races pass.
"""

import json

from tierlib.parts import Parts

from . import runs


def once(place, name):
    """The run of a class, or that of a tier that was stopped."""
    parts = Parts()
    for kept, passed in ((name, True), (_failed(name), False)):
        if run := _of(parts.passed(kept), name, passed):
            return run
    run = runs.once(place, name)
    if not run.killed:
        parts.record(name if run.passed else _failed(name), json.dumps({"seconds": run.seconds, "counts": run.counts}))
    return run


def settle(verdict):
    """A tier that has failed begins anew the next time: it is not made to pass class by class."""
    if verdict.code:
        Parts().forget()
    return verdict


def _failed(name):
    return f"failed: {name}"


def _of(known, name, passed):
    try:
        said = json.loads(known or "null")
        return runs.Run(name, passed, "" if passed else "before this tier was stopped", said["seconds"], tuple(said["counts"]))
    except (ValueError, TypeError, KeyError):
        return None
