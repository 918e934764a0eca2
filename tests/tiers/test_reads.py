"""A tier's `reads` in dev/tiers.toml against what its scripts name: a path that is missing there keeps an old verdict."""

import re
import sys
import unittest
from functools import cache
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev"))

from tierlib import inputs, table  # noqa: E402

NO_PROGRAM = re.compile(r"_test\.cc$|\.md$")
# ROOT / "a" / "b/c" of Python; $root/a/b and ../../a/b of shell scripts.
PARTS = re.compile(r'\b(?:ROOT|root) / f?"([^"{}]+)"((?: / "[^"{}]+")*)')
SHELL = re.compile(r"(?:\$\{?root\}?|\.\./\.\.)/([a-z][A-Za-z0-9_./-]*)")
IMPORT = re.compile(r"^(?:from|import) (\w+)", re.MULTILINE)
SCRIPT = re.compile(rb"^#!.*\b(python3|bash|sh)\b")
YAML = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def is_script(file):
    return file.endswith(".py") or bool(SCRIPT.match((ROOT / file).read_bytes()[:100]))


def named_in(file):
    """Paths of the tree that a script writes out; where Python looks for modules tells nothing."""
    text = "\n".join(line for line in (ROOT / file).read_text().splitlines() if "sys.path" not in line)
    for first, more in PARTS.findall(text):
        yield "/".join([first, *re.findall(r'"([^"]+)"', more)])
    yield from SHELL.findall(text)


class Reads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = sorted(inputs._contents(ROOT))
        cls.tiers = table.read().tiers.values()
        cls.scripts = {file for file in cls.files if is_script(file)}

    @classmethod
    @cache
    def below(cls, *groups):
        """The files that these groups of `reads` stand for."""
        return frozenset(inputs.selected(cls.files, groups))

    def read_by(self, tier):
        """What makes it, or the tier of its pages, run again."""
        return frozenset().union(*(self.below(*each.reads) for each in self.tiers if each.name in (tier.name, f"{tier.name}-pages")))

    def scripts_of(self, tier):
        """Those beside its command, but for tests that the command does not name."""
        gate = (ROOT / "tests/cluster/gate.txt").read_text() if "--gate" in tier.command else ""
        for command, arguments in re.findall(r"\b(tests/\S+/\w+)([^&]*)", tier.command):
            chosen = gate or arguments.strip() or (command.endswith("/demo") and "none")
            for file in sorted(self.scripts & self.below((str(Path(command).parent),))):
                if not re.match(r"test_|monitoring_kinds", Path(file).name) or not chosen or Path(file).stem in chosen:
                    yield file

    def modules(self, name):
        """Files of the tree that `import NAME` may mean."""
        return {file for file in self.files if file.endswith(f"/{name}.py") or f"/{name}/" in file and file.endswith(".py")}

    def test_a_pattern_leaves_out_pages_and_unit_tests_alone(self):
        for tier in self.tiers:
            named = [tuple(each for each in group if each[0] != "!") for group in tier.reads]
            left_out = self.below(*named) - self.below(*tier.reads)
            with self.subTest(tier.name):
                self.assertEqual(sorted(path for path in left_out if not NO_PROGRAM.search(path)), [])

    def test_a_tier_reads_what_its_scripts_name(self):
        seen = 0
        for tier in self.tiers:
            for path in sorted({path for script in self.scripts_of(tier) for path in named_in(script)}):
                missing = self.below((path,)) - self.read_by(tier)
                seen += 1
                with self.subTest(tier.name, path=path):
                    # Of folders of programs and examples the pages are read by people alone.
                    self.assertEqual(sorted(each for each in missing if each == path or each.startswith("docs/")
                                            or not NO_PROGRAM.search(each)), [])
        self.assertGreater(seen, 60, "the patterns of this test no longer fit the scripts")

    def test_a_tier_reads_the_modules_that_its_scripts_import(self):
        for tier in self.tiers:
            for name in sorted({name for script in self.scripts_of(tier) for name in IMPORT.findall((ROOT / script).read_text())}):
                found = self.modules(name)
                with self.subTest(tier.name, module=name):
                    self.assertTrue(not found or found & self.read_by(tier), f"reads none of {sorted(found)}")

    def test_a_tier_reads_its_command(self):
        for tier in self.tiers:
            for word in re.findall(r"\b(?:tests|dev|docs|crds|packaging)/[\w./-]+", tier.command):
                with self.subTest(tier.name, path=word):
                    self.assertLessEqual(self.below((word,)), self.read_by(tier))

    def test_the_tier_that_installs_the_frameworks_comes_before_the_one_that_trains_with_one(self):
        names = [tier.name for tier in self.tiers]
        self.assertLess(names.index("frameworks"), names.index("node"), "else it leaves that class out, and passes")

    def test_a_page_with_a_manifest_lies_where_the_cluster_tier_reads_it(self):
        pages = {file for file in self.files
                 if file.endswith(".md") and "apiVersion" in "".join(YAML.findall((ROOT / file).read_text()))}
        cluster, = (tier for tier in self.tiers if tier.name == "cluster")
        self.assertTrue(pages)
        self.assertEqual(sorted(pages - self.read_by(cluster)), [])


if __name__ == "__main__":
    unittest.main()
