#!/usr/bin/python3
"""A key below reprise.dev (a label, an annotation, a taint) is written once in what is shipped, as a constant that all use.

  tests/tidy/label_keys.py    prints each key that is written in two places, and entries of the table below that are no longer
                              needed; exit code 1 when there is one

Tests and what they share write keys out: a key that is changed by mistake fails there.
"""

import re
import sys
from collections import defaultdict

from rooms import ROOT, listed, report

FOLDERS = ("agent/", "api/", "apps/", "controllers/", "node-agent/", "protocol/", "runtime/")
KEY = re.compile(r'(?<!\\)"((?:[a-z]+\.)?reprise\.dev/[a-z][a-z-]*)')
FOR_TESTS = re.compile(r"/testing/|_test\.cc$|_for_tests\.")
NO_KEYS = frozenset({"reprise.dev/v"})  # of "reprise.dev/v1alpha1", a version of the API
# Keys that are written more often today: they may go.
KNOWN = {}


def is_shipped(name):
    return name.startswith(FOLDERS) and name.endswith((".h", ".cc")) and not FOR_TESTS.search(name)


def places(root, files):
    """{key: "file:line" of each place}"""
    found = defaultdict(list)
    for name in filter(is_shipped, files):
        for number, line in enumerate((root / name).read_text(encoding="utf-8").splitlines(), 1):
            for key in KEY.findall(line.split("//", 1)[0]):
                if key not in NO_KEYS:
                    found[key].append(f"{name}:{number}")
    return found


def problems(root, files, known):
    found = places(root, files)
    for key, where in sorted(found.items()):
        if len(where) > known.get(key, 1):
            yield f"tidy: {key} is written in {' and '.join(where)}: take the constant"
    for key, times in known.items():
        if len(found.get(key, ())) < times:
            yield f"tidy: {key} is written {len(found.get(key, ()))} times: mend the table in tests/tidy/label_keys.py"


def main():
    return report(list(problems(ROOT, listed(ROOT), KNOWN)), "tidy: no further key below reprise.dev is written twice")


if __name__ == "__main__":
    sys.exit(main())
