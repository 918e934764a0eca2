"""Two mounts of one store by two daemons: attempt 1 saves on one of them, whose daemon is killed in the middle of a save;
attempt 2 goes on on the other. Has no tests itself: each kind of mount has its own."""

import hashlib
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from agents import ALIVE, INTERRUPTED, WAITS, AgentTest
from mounts import called, wait_for
from results import measured

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


def counter_in(store):
    """Of the heartbeat that the store has; 0: it has none yet."""
    text = store.read(ALIVE)
    return json.loads(text)["counter"] if text else 0


def beat_in(store):
    """The same, of a store that has one: between a copy and the end of what was copied a store may have none."""
    found = []
    wait_for("there is no heartbeat any more", lambda: found.append(counter_in(store)) or found[-1], 60)
    return found[-1]


class LostDaemon(AgentTest):
    def interrupted_and_resumed(self, node, read, name, kind):
        """`name`: of the row in the table. Returns what the record of the second attempt says."""
        agent = self.start(node, ("sh", "-c", INTERRUPTED))
        wait_for("nothing was saved", lambda: read(".reprise/made/1.json"), 60)
        called("pkill", "-TERM", "-P", str(agent.pid))
        _, record = self.ended(node, agent)
        self.assertEqual((record["asked"], record["step"], record["structureOnly"]), (True, 9, True))
        left, record = self.trained(node, attempt=2)
        self.assertEqual((record["resumedFromStep"], left), (9, sorted(f"step-{step}" for step in range(8, 14))))
        self.assertEqual(record["volume"], {"type": kind, "rename": True, "overwrite": True, "delete": True,
                                            "durability": "StructureOnly"})
        measured(name, type=kind, durability=record["volume"]["durability"])
        return record

    def refused_beside(self, node, read, other, beat):
        """A second attempt on another node sees the first one's heart beat."""
        with self.running(node, WAITS, **beat) as first:
            wait_for("no heartbeat", lambda: read(ALIVE))
            _, record = self.ended(other, self.start(other, WAITS, attempt=2, **beat), code=87)
            self.assertIn("still writes to this volume", record["message"])
            self.assertIsNone(first.poll(), "it was disturbed")

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
            with self.running(node, ("python3", "-c", SAVES), **{**saved.variables(moment), **more}) as agent:
                wait_for("step 1 is not in the store", lambda: saved.state_in(read, 1) == "whole", 60)
                ready()
                saved.go.touch()
                if moment:
                    wait_for(f"it is not {moment}", saved.said.exists, 60)
                yield saved, agent

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
