"""Two mounts of one store by two daemons: attempt 1 saves on one of them, whose daemon is killed in the middle of a save;
attempt 2 goes on on the other. Has no tests itself: each kind of mount has its own."""

import hashlib
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from agents import AgentTest
from mounts import wait_for

# Each loss is tried so often.
TIMES = int(os.environ.get("REPRISE_VOLUME_TIMES", "1"))
MIB = 1 << 20
SIZES = {1: MIB, 2: 24 * MIB}
# Where attempt 1 is when it waits to be lost: the file of the weights is open and half written; it is closed; its mark is.
WRITING, WRITTEN, MARKED = "writing", "written", "marked"
SAVES = r"""
import os, time
place, data, moment = os.environ["REPRISE_CHECKPOINT_DIR"], os.environ["BYTES"], os.environ["MOMENT"]

def waits(at):
    if at == moment:
        open(os.environ["SAID"], "w").close()
        while True:
            time.sleep(0.05)

def save(step, waits):
    bytes_of_it = open(f"{data}/{step}", "rb").read()
    os.mkdir(f"{place}/step-{step}")
    with open(f"{place}/step-{step}/config.json", "w") as small:  # overtakes the weights where uploads go side by side
        small.write("{}")
    with open(f"{place}/step-{step}/weights", "wb", buffering=0) as weights:
        half = len(bytes_of_it) // 2
        assert weights.write(bytes_of_it[:half]) == half
        waits("writing")
        assert weights.write(bytes_of_it[half:]) == len(bytes_of_it) - half
    waits("written")
    open(f"{place}/step-{step}/_COMPLETE", "w").close()
    waits("marked")

save(1, lambda at: None)
# Of two saves in one second a mount that keeps whole seconds (s3fs) does not say which was later.
while not os.path.exists(os.environ["GO"]) or int(time.time()) <= os.stat(f"{place}/step-1/_COMPLETE").st_mtime:
    time.sleep(0.05)
save(2, waits)
"""
# The name of what is resumed from, and all of its bytes.
LOADS = r"""
basename "$(readlink -f "$REPRISE_RESUME_FROM")" >"$LOADED/name"; cat "$REPRISE_RESUME_FROM/weights" >"$LOADED/weights" || exit 9
[ -e "$REPRISE_RESUME_FROM/_COMPLETE" ] || exit 8
"""


class Saved:
    """What attempt 1 saves, and where it is. `bytes`: of each step."""

    def __init__(self, work):
        self.work = Path(work)
        self.said, self.go = self.work / "said", self.work / "go"
        self.bytes = {step: os.urandom(size) for step, size in SIZES.items()}
        for step, data in self.bytes.items():
            (self.work / str(step)).write_bytes(data)

    def variables(self, moment):
        return {"BYTES": str(self.work), "SAID": str(self.said), "GO": str(self.go), "MOMENT": moment or "",
                "REPRISE_CHECKPOINT_FORMAT": "Marker", "REPRISE_WATCH_SECONDS": "0.2"}

    def state_in(self, read, step):
        """As the store has it: `read` gives a file's bytes, or None."""
        marked, weights = read(f"step-{step}/_COMPLETE") is not None, read(f"step-{step}/weights")
        return "whole" if marked and weights == self.bytes[step] else "marked" if marked else "torn"


class LostDaemon(AgentTest):
    def each_at_once(self, cases, run):
        """Each in a thread of its own, since it waits most of the time."""
        cases = list(cases)
        with ThreadPoolExecutor(len(cases)) as threads:
            running = {case: threads.submit(run, case) for case in cases}
        for case, done in running.items():
            with self.subTest(case):
                done.result()

    @contextmanager
    def saving(self, node, read, moment, ready=lambda: None, **more):
        """Attempt 1 has step 1 in the store, and has come to this moment of step 2, which it begins when `ready`
        returns. No moment: it has begun with it."""
        with tempfile.TemporaryDirectory() as work:
            saved = Saved(work)
            agent = self.start(node, ("python3", "-c", SAVES), **{**saved.variables(moment), **more})
            try:
                wait_for("step 1 is not in the store", lambda: saved.state_in(read, 1) == "whole", 60)
                ready()
                saved.go.touch()
                if moment:
                    wait_for(f"it is not {moment}", saved.said.exists, 60)
                yield saved, agent
            finally:
                agent.kill()
                agent.communicate()

    def resumed(self, node, saved, attempt=2, **more):
        """Which step the next attempt resumes from. Its bytes have to be all those that were saved."""
        with tempfile.TemporaryDirectory() as work:
            agent = self.start(node, ("sh", "-c", LOADS), attempt=attempt, LOADED=work, REPRISE_CHECKPOINT_FORMAT="Marker", **more)
            _, record = self.ended(node, agent)
            name, loaded = ((Path(work) / each).read_bytes() for each in ("name", "weights"))
        step = int(name.strip().split(b"-")[1])
        digests = [hashlib.sha256(data).hexdigest() for data in (loaded, saved.bytes[step])]
        self.assertEqual(*digests, f"{name} has {len(loaded)} bytes, which are not what was saved: {json.dumps(record)}")
        self.assertEqual(record["resumedFromStep"], step)
        return step
