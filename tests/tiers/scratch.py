"""A repository of the test's own with dev/gate and dev/verify in it, three folders that tiers read, and a cache."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev"))

from clusterlib import leftovers  # noqa: E402

NAMES = ("one", "two", "three")
# Each tier writes its name when it has run; those that wait are let go by the test, through a pipe.
TIER = """
[tier.{name}]
command = "{wait}echo {name} >> ran"
reads = ["{name}"]
"""
WAIT = "echo {name} > begun && read line < go-on && "


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="reprise-tiers-")
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name) / "tree"
        (self.root / "dev").mkdir(parents=True)
        for name in ("verify", "gate", "setup", "cluster"):
            shutil.copy(ROOT / "dev" / name, self.root / "dev" / name)
        for name in ("tierlib", "clusterlib"):
            shutil.copytree(ROOT / "dev" / name, self.root / "dev" / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in NAMES:
            (self.root / name).mkdir()
            (self.root / name / "file").write_text(name)
        (self.root / ".gitignore").write_text("build/\nran\nbegun\ngo-on\n.cluster/\n__pycache__/\n")
        for pipe in ("begun", "go-on"):
            os.mkfifo(self.root / pipe)
        self.cache = Path(scratch.name) / "cache"
        # Git is asked about this repository, not about the one whose hook runs the tests.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "REPRISE_"))}
        self.environment = {**inherited, "XDG_CACHE_HOME": str(self.cache), "GIT_CONFIG_GLOBAL": "/dev/null",
                            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}

    def table(self, *waiting):
        """Three tiers; those that are named wait."""
        self.tiers("".join(TIER.format(name=name, wait=WAIT.format(name=name) if name in waiting else "") for name in NAMES))

    def tiers(self, text):
        (self.root / "dev/tiers.toml").write_text(text)
        for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "tree")):
            self.git(*command)

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.root, env=self.environment, check=True)

    def in_table(self, old, new):
        file = self.root / "dev/tiers.toml"
        self.assertIn(old, file.read_text())
        file.write_text(file.read_text().replace(old, new))

    def start(self, *arguments, program="verify", **more):
        # Its children must not hold a pipe that somebody waits for the end of.
        process = subprocess.Popen([self.root / "dev" / program, *arguments], cwd=self.root, env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
        self.addCleanup(self._end, process)
        return process

    def _end(self, process):
        """A test that fails leaves nothing that waits for it."""
        process.kill()
        process.wait()
        leftovers.end({"REPRISE_TIERS_OF": str(self.root)})

    def verify(self, *arguments, program="verify", **environment):
        return subprocess.run([self.root / "dev" / program, *arguments], cwd=self.root, env={**self.environment, **environment},
                              text=True, stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def begun(self):
        """What a tier that waits has written; whoever does not come within half a minute has hung."""
        return self._pipe("begun", os.O_RDONLY, lambda pipe: os.read(pipe, 100).decode().strip())

    def go_on(self):
        self._pipe("go-on", os.O_WRONLY, lambda pipe: os.write(pipe, b"go on\n"))

    def _pipe(self, name, how, use):
        pipe, deadline = None, time.monotonic() + 30
        try:
            while time.monotonic() < deadline:
                try:
                    pipe = os.open(self.root / name, how | os.O_NONBLOCK) if pipe is None else pipe
                    if done := use(pipe):
                        return done
                except OSError:
                    pass  # nobody has opened the other end
                time.sleep(0.005)
        finally:
            if pipe is not None:
                os.close(pipe)
        return self.fail(f"nobody came to the pipe {name}")

    def ran(self):
        file = self.root / "ran"
        return file.read_text().split() if file.exists() else []
