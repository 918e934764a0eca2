#!/usr/bin/python3
"""A place for a change can be found by names: folders hold few files, and sources are short.

  tests/tidy/rooms.py    prints each folder with more than 30 files and each source of more than 400 lines, and entries of the
                         tables below that are no longer needed; exit code 1 when there is one
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
MOST_FILES, MOST_LINES = 30, 400
# Folders and sources that are larger today, with their size: they may shrink.
FOLDERS = {
    "agent/formats/names": 32,
    "runtime/kube": 37,
    "tests/cluster": 42,
}
SOURCES = {
    "simulator/volumes/disk_tree.cc": 405,
    "agent/core/restore/restore.cc": 419,
    "agent/core/run/startup.cc": 401,
    "agent/formats/recognise/layout_format.cc": 420,
    "agent/formats/search/checkpoint_search.cc": 448,
    "api/pod_builder_test.cc": 416,
    "controllers/resumablejob/claims/common_step_test.cc": 447,
    "controllers/resumablejob/status/live_progress_test.cc": 407,
    "simulator/cluster/pool_operator_test.cc": 447,
}


def listed(root):
    found = subprocess.run(["git", "ls-files"], cwd=root, check=True, capture_output=True, text=True).stdout.split("\n")
    return [each for each in found if each and (root / each).is_file()]


def report(found, otherwise):
    """Prints what was found, or else that sentence; returns the exit code."""
    print("\n".join(found) or otherwise)
    return 1 if found else 0


def folders(files):
    """Files directly in each folder."""
    return Counter(str(PurePosixPath(each).parent) for each in files)


def lines(root, files):
    """Lines of each source in C++ or Python."""
    return {each: (root / each).read_bytes().count(b"\n") for each in files if each.endswith((".h", ".cc", ".py"))}


def over(sizes, most, known, what):
    for name, size in sorted(sizes.items()):
        if size > max(most, known.get(name, 0)):
            yield f"tidy: {name} has {size} {what}, allowed are {known.get(name, most)}: divide it by what its parts are for"
    for name, size in known.items():
        if sizes.get(name, 0) <= most:
            yield f"tidy: {name} has {sizes.get(name, 0)} {what}: take it out of the table in tests/tidy/rooms.py"


def problems(root, folders_known, sources_known):
    files = listed(root)
    yield from over(folders(files), MOST_FILES, folders_known, "files")
    yield from over(lines(root, files), MOST_LINES, sources_known, "lines")


def main():
    return report(list(problems(ROOT, FOLDERS, SOURCES)),
                  f"tidy: no further folder has more than {MOST_FILES} files, no further source more than {MOST_LINES} lines")


if __name__ == "__main__":
    sys.exit(main())
