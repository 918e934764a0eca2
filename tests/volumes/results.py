"""What a run has measured of each file system, for the table in docs/support.md (tests/volumes/table)."""

import fcntl
import json

from mounts import ROOT

RESULTS = ROOT / "build" / "volumes" / "results.json"


def measured(file_system, **facts):
    """Adds to what is known of it. `facts`: as tests/volumes/table has its columns."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with RESULTS.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = read()
        known.setdefault(file_system, {}).update(facts)
        new = RESULTS.with_suffix(".new")
        new.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
        new.rename(RESULTS)


def read():
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
