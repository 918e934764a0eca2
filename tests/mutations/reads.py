"""What decides whether a planted bug is caught: a verdict of before holds as long as none of it has changed.

It is the bug, the sources that it changes and those of the tests that must fail, each with what it includes; of what the
scenarios catch, the simulator with its set of seeds in place of the tests. The rest of the program could hide a bug as well; that
is looked at by `make verify --all`, and by anybody once a verdict is as old as dev/tierlib/parts.py keeps it.
"""

import re
import subprocess
import sys
from fnmatch import translate

from planting import ROOT

sys.path.insert(0, str(ROOT / "dev"))
from tierlib.closure import Closures  # noqa: E402

TEST = re.compile(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)
SIMULATED = ("simulator/*.cc", "tests/scenarios/*", "tests/mutations/simulate_main.cc", ":!*.md")


class Reads:
    def __init__(self, root=ROOT):
        self.closures = Closures(root)
        self.tests = [(f"{suite}.{test}", source) for source in listed(root, "*_test.cc")
                      for suite, test in TEST.findall((root / source).read_text())]
        self.simulated = [each for each in listed(root, *SIMULATED) if "_test." not in each]

    def fingerprint(self, bug, seeds):
        """None where nobody knows which tests must fail: whoever asks looks then at the bug each time."""
        tests = self.tests_of(bug.tests) if bug.tests else self.simulated
        changed = {edit["file"] for edit in bug.edits()} | set(bug.to_compile())
        return self.closures.digest(changed | set(tests), repr((bug, list(seeds)))) if tests else None

    def tests_of(self, filters):
        """The sources of the tests that a filter of GoogleTest names; of one with parameters it is "INSTANCE/SUITE.TEST/PARAMETER"."""
        forms = {form for each in filters.split("-")[0].split(":") for form in (each, each.split("/", 1)[-1])}
        wanted = re.compile("|".join(map(translate, forms))).match
        return {source for test, source in self.tests if wanted(test) or wanted(f"{test}/0")}


def listed(root, *patterns):
    return subprocess.run(["git", "ls-files", *patterns], cwd=root, check=True, capture_output=True, text=True).stdout.split()
