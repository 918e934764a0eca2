#!/usr/bin/python3
"""A source is found by its name: in one top folder no other source has the same one.

  tests/tidy/base_names.py    prints each name that two folders of a top folder use, and entries of the table below that are no
                              longer needed; exit code 1 when there is one

A header and its source are one name; a test has a name of its own, with `_test`. A file that is named after the role which every
program or controller fills (ROLES) may stand in several folders.
"""

import sys
from collections import defaultdict
from pathlib import PurePosixPath

from rooms import ROOT, listed, report

# Each program has the first, each controller the others.
ROLES = frozenset({"main", "apply", "apply_test", "caches", "decide", "observation", "permissions", "reconciler", "register"})
# Names that are used twice today: they may go.
KNOWN = {
    "agent": {"common_step_test", "fence_test", "layout_format_test", "left_behind_test", "progress_file", "restore_test", "told_test",
              "told_together_test", "volume_test"},
    "apps": {"output", "report_files", "terminal"},
    "controllers": {"conditions", "cost_limit", "events_test", "existing_nodes_test", "money", "money_test", "own_node_claim", "room",
                    "table", "waiting_pods_test"},
    "runtime": {"footprint", "proxy_test", "watch_metrics"},
    "simulator": {"claims", "queues", "warm_gpus", "wire"},
}


def twice(files):
    """{top folder: {name: the folders that use it}} of names in more than one."""
    places = defaultdict(lambda: defaultdict(set))
    for each in map(PurePosixPath, files):
        if each.suffix in (".h", ".cc") and len(each.parts) > 1:
            places[each.parts[0]][each.stem].add(str(each.parent))
    return {top: {name: folders for name, folders in names.items() if len(folders) > 1} for top, names in places.items()}


def problems(files, known):
    found = twice(files)
    for top, names in sorted(found.items()):
        for name, folders in sorted(names.items()):
            if name not in ROLES and name not in known.get(top, ()):
                yield f"tidy: {' and '.join(sorted(folders))} have a {name} each: name each after what sets it apart from the other"
    for top, names in known.items():
        for name in sorted(names - set(found.get(top, {}))):
            yield f"tidy: {top} has one {name}: take it out of the table in tests/tidy/base_names.py"


def main():
    return report(list(problems(listed(ROOT), KNOWN)), "tidy: no further name is used twice in a top folder")


if __name__ == "__main__":
    sys.exit(main())
