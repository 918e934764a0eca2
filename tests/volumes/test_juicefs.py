"""Mounts by JuiceFS, without and with a write-back cache: what is resumed from when a daemon dies, and who sees whom."""

import errno
from itertools import product

import lost_daemons
from agents import ALIVE, WAITS, counter
from juicefs_mounts import WRITE_BACK, juicefs, puts
from lost_daemons import MARKED, TIMES, WRITING, WRITTEN
from mounts import wait_for
from results import measured

MOUNTS = {"JuiceFS": (), "JuiceFS --writeback": WRITE_BACK}
# Longer than JuiceFS keeps names and sizes, and than anything here takes but the upload of what gets lost.
BEAT = {"REPRISE_HEARTBEAT_SECONDS": "6"}
BEATS = 20


def wait_for_a_beat(store):
    uploaded = store.read(ALIVE)
    wait_for("no heartbeat was uploaded", lambda: store.read(ALIVE) not in (uploaded, None), 60)


class MountsByJuiceFS(lost_daemons.LostDaemon):
    def test_a_job_resumes_from_what_it_saved_and_nothing_is_deleted(self):
        for name, options in MOUNTS.items():
            with self.subTest(name), juicefs() as store, store.node("a", *options).mounted() as node:
                self.interrupted_and_resumed(node, store.read, name, "fuse.juicefs")

    def test_what_a_daemon_had_not_uploaded_when_it_was_killed_is_never_resumed_from(self):
        for _ in range(TIMES):
            self.each_at_once(product(MOUNTS, (WRITING, WRITTEN, MARKED)), self.lose_in_a_save)

    def lose_in_a_save(self, case):
        name, moment = case
        with juicefs() as store:
            node = store.node("a", *MOUNTS[name])
            # What the agent itself has written is not among what gets lost: that has a test of its own.
            own = {**BEAT, "REPRISE_WATCH_SECONDS": "3600"} if MOUNTS[name] else BEAT
            with node.mounted(), self.saving(node, store.read, moment, lambda: wait_for_a_beat(store), **own) as (saved, _):
                if moment == MARKED and not MOUNTS[name]:
                    wait_for("it was not uploaded", lambda: saved.state_in(store.read, 2) == "whole")
                node.lose()
                state = saved.state_in(store.read, 2)
                with store.node("b").mounted() as other:
                    resumed = self.resumed(other, saved, **BEAT)
                    kept = [path.stat().st_size for path in other.place.rglob("step-2*/weights")]
                expected = "torn" if moment != MARKED else "marked" if MOUNTS[name] else "whole"
                self.assertEqual((state, resumed), (expected, 2 if state == "whole" else 1), moment)
                if state == "marked":
                    self.assertEqual(kept, [len(saved.bytes[2])], "what cannot be read is kept")
                self.assertEqual(saved.state_in(store.read, 1), "whole", "it is deleted in favour of nothing")
                if moment == MARKED:
                    measured(name, lost=2 - resumed)

    def test_a_heartbeat_that_is_lost_with_its_node_holds_up_no_attempt(self):
        with juicefs() as store:
            node = store.node("a", *WRITE_BACK)
            # The heart's last beat waits for its upload behind the weights.
            with node.mounted(), self.saving(node, store.read, WRITTEN) as (saved, _):
                wait_for("each beat was uploaded", lambda: store.read(ALIVE) is None, 20)
                node.lose()
                with store.node("b").mounted() as other:
                    with self.assertRaises(OSError) as lost:
                        (other.place / ALIVE).read_bytes()
                    self.assertEqual(lost.exception.errno, errno.EIO)
                    for attempt in (2, 3):
                        self.assertEqual(self.resumed(other, saved, attempt=attempt), 1)

    def test_who_has_not_uploaded_his_heartbeats_yet_is_joined_by_nobody(self):
        with juicefs() as store:
            node = store.node("a", *WRITE_BACK)
            with node.mounted(), self.saving(node, store.read, WRITTEN) as (_, agent), store.node("b").mounted() as other:
                _, record = self.ended(other, self.start(other, WAITS, attempt=2), code=87)
                self.assertIn("still writes to this volume", record["message"])
                self.assertIsNone(agent.poll(), "it was disturbed")

    def test_a_daemon_that_is_killed_in_a_save_ends_its_trainer_and_what_its_cache_has_is_resumed_from(self):
        for _ in range(TIMES):
            self.each_at_once(product(MOUNTS, (WRITING, MARKED)), self.mount_anew)

    def mount_anew(self, case):
        name, moment = case
        with juicefs() as store:
            node = store.node("a", *MOUNTS[name])
            with node.mounted(), self.saving(node, store.read, moment) as (saved, agent):
                node.kill_daemon()
                output, _ = agent.communicate(timeout=120)
                self.assertEqual(agent.returncode, 87, output)
                node.mount()
                self.assertEqual(self.resumed(node, saved), 2 if moment == MARKED else 1)
                wait_for("step 1 is gone", lambda: saved.state_in(store.read, 1) == "whole")

    def test_a_live_writer_is_joined_by_nobody(self):
        self.each_at_once(MOUNTS, self.begin_beside)

    def begin_beside(self, name):
        with juicefs() as store, store.node("a", *MOUNTS[name]).mounted() as node, store.node("b").mounted() as other:
            self.refused_beside(node, store.read, other, {"REPRISE_HEARTBEAT_SECONDS": "2"})

    def test_a_heartbeat_is_one_block_and_leaves_nothing_in_the_trash(self):
        for name, options in MOUNTS.items():
            with self.subTest(name), juicefs() as store, store.node("a", *options).mounted() as node, \
                    self.running(node, WAITS, REPRISE_WATCH_SECONDS="3600"):
                wait_for("it does not train", (node.place / ".reprise/attempts/1/resume.json").exists)
                at, before, kept = counter(node.place / ALIVE), puts(node), trash(node)
                wait_for("no heartbeats", lambda node=node, at=at: counter(node.place / ALIVE) >= at + BEATS)
                blocks = round((puts(node) - before) / (counter(node.place / ALIVE) - at))
                self.assertEqual((blocks, trash(node)), (1, kept))
                measured(name, beat={"PUT": blocks})


def trash(node):
    return sorted(path.name for path in node.place.glob(".trash/*/*"))
