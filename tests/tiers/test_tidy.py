"""dev/tidy in a tree of its own, with a clang-tidy that is played: which sources it looks at again."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from small_tree import SmallTree

ROOT = Path(__file__).resolve().parents[2]
PLAYED = """#!/bin/sh
[ "$1" != --version ] || { echo version 19; exit 0; }
for source; do :; done
echo "$source" >>looked
! grep -H wrong "$source"
"""
FILES = {"a/one.cc": '#include "a/one.h"\n', "a/one.h": '#include "b/base.h"\n', "b/base.h": "", "b/two.cc": '#include "base.h"\n#include <vector>\n',
         "b/three.cc": "", ".clang-tidy": "Checks: all\n", ".gitignore": "build/\nbin/\nlooked\ncache/\n"}


class Tidy(SmallTree):
    FILES = FILES

    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "dev/tierlib", self.root / "dev/tierlib")
        shutil.copytree(ROOT / "dev/clusterlib", self.root / "dev/clusterlib")
        shutil.copy(ROOT / "dev/tidy", self.root / "dev/tidy")
        self.write("dev/tiers.toml", '[tier.static-analysis]\ncommand = "dev/tidy"\nreads = ["."]\n')
        self.write("bin/clang-tidy-19", PLAYED)
        (self.root / "bin/clang-tidy-19").chmod(0o755)
        self.compiled("-O1")
        self.list_in_git()

    def compiled(self, flag):
        self.write("build/dev/compile_commands.json", json.dumps(
            [{"file": str(self.root / name), "command": f"g++ {flag if name == 'b/three.cc' else ''} -I{self.root} {name}"}
             for name in FILES if name.endswith(".cc")]))

    def looks(self, code=0):
        """At which sources; it must end with that code."""
        (self.root / "looked").unlink(missing_ok=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("REPRISE_")}
        done = subprocess.run([self.root / "dev/tidy"], cwd=self.root, capture_output=True, text=True, check=False, env={
            **environment, "PATH": f"{self.root}/bin:{os.environ['PATH']}", "XDG_CACHE_HOME": str(self.root / "cache")})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        looked = self.root / "looked"
        return sorted(looked.read_text().split()) if looked.exists() else []

    def test_looks_at_each_once_and_again_only_when_something_that_it_includes_has_changed(self):
        self.assertEqual(self.looks(), ["a/one.cc", "b/three.cc", "b/two.cc"])
        self.assertEqual(self.looks(), [])
        self.write("a/one.h", '#include "b/base.h"\n// changed\n')
        self.assertEqual(self.looks(), ["a/one.cc"])
        self.write("b/base.h", "// changed\n")
        self.assertEqual(self.looks(), ["a/one.cc", "b/two.cc"])

    def test_looks_again_under_another_command_and_at_all_under_other_rules(self):
        self.looks()
        self.compiled("-O2")
        self.assertEqual(self.looks(), ["b/three.cc"])
        self.write(".clang-tidy", "Checks: more\n")
        self.assertEqual(self.looks(), ["a/one.cc", "b/three.cc", "b/two.cc"])

    def test_what_was_found_wrong_is_looked_at_until_it_is_right(self):
        self.write("b/two.cc", "wrong\n")
        self.assertEqual(self.looks(code=1), ["a/one.cc", "b/three.cc", "b/two.cc"])
        self.assertEqual(self.looks(code=1), ["b/two.cc"])
        self.write("b/two.cc", "right\n")
        self.assertEqual(self.looks(), ["b/two.cc"])


if __name__ == "__main__":
    unittest.main()
