"""Mounts by rclone, with each of its caches: what is resumed from when a daemon dies, and who sees whom."""

from itertools import product

import lost_daemons
from agents import WAITS
from lost_daemons import MARKED, TIMES, WRITING, WRITTEN, beat_in, counter_in
from mounts import called, wait_for
from rclone_mounts import CACHE_MODES, bucket
from results import measured

SLOW = ("--bwlimit", "8M")
# Keeps what is written on the node, and uploads it 5 s later, four files at once: a mark overtakes its weights.
WRITE_BACK = ("writes", "full")
SEES = ("--dir-cache-time", "1s")
MOST_LOOKS = 10
BEATS = 3  # what is half done at either end of them does not count
BEATS_OF_THE_DEAD = 4  # a writer that is not seen to beat for two and a half counts as dead


def cached_to_send(node):
    """What the cache says of the second mark."""
    said = [path for path in node.cache.rglob("step-2/_COMPLETE") if "vfsMeta" in path.parts]
    return any(b'"Dirty": true' in path.read_bytes() for path in said)


class Rclone(lost_daemons.LostDaemon):
    def test_a_job_resumes_from_what_it_saved_nothing_is_deleted_and_it_is_told_who_is_protected(self):
        for mode in CACHE_MODES:
            with self.subTest(mode), bucket() as store, store.node("a", mode).mounted() as node:
                record = self.interrupted_and_resumed(node, store.read, f"rclone {mode}", "fuse.rclone")
                self.assertIn("heartbeats and the fence protect one node only", record["message"])

    def test_what_a_daemon_had_not_uploaded_when_it_was_killed_is_never_resumed_from(self):
        for _ in range(TIMES):
            self.each_at_once(product(CACHE_MODES, (WRITING, WRITTEN, MARKED)), self.lose_in_a_save)

    def lose_in_a_save(self, case):
        mode, moment = case
        with bucket() as store:
            node = store.node("a", mode, *SLOW)
            with node.mounted(), self.saving(node, store.read, moment) as (saved, _):
                expected = "torn" if moment != MARKED else "marked" if mode in WRITE_BACK else "whole"
                # An empty file is uploaded behind its close, without a cache too.
                wait_for("the mark was not uploaded", lambda: saved.state_in(store.read, 2) == expected)
                node.lose()
                state = saved.state_in(store.read, 2)
                with store.node("b", mode).mounted() as other:
                    resumed = self.resumed(other, saved)
                self.assertEqual((state, resumed), (expected, 2 if state == "whole" else 1), moment)
                self.assertEqual(saved.state_in(store.read, 1), "whole", "it is deleted in favour of nothing")
                if moment == MARKED:
                    measured(f"rclone {mode}", lost=2 - resumed)

    def test_a_daemon_that_is_killed_in_a_save_ends_its_trainer_and_what_its_cache_has_is_resumed_from(self):
        for _ in range(TIMES):
            self.each_at_once(product(CACHE_MODES, (WRITING, MARKED)), self.mount_anew)

    def mount_anew(self, case):
        mode, moment = case
        with bucket() as store:
            node = store.node("a", mode, *SLOW)
            with node.mounted(), self.saving(node, store.read, moment) as (saved, agent):
                if moment == MARKED:  # which is told behind the close of an empty file
                    arrived = cached_to_send if mode in WRITE_BACK else lambda _: saved.state_in(store.read, 2) == "whole"
                    wait_for("the mark is not there", lambda: arrived(node))
                node.kill_daemon()
                output, _ = agent.communicate(timeout=120)
                self.assertEqual(agent.returncode, 87, output)
                node.mount()
                self.assertEqual(self.resumed(node, saved), 2 if moment == MARKED else 1)
                self.assertEqual(saved.state_in(store.read, 1), "whole")

    def test_a_live_writer_is_joined_by_nobody_whose_lists_are_kept_for_a_second(self):
        self.each_at_once(CACHE_MODES, self.begin_beside)

    def begin_beside(self, mode):
        with bucket() as store, store.node("a", mode, *SEES).mounted() as node, store.node("b", mode, *SEES).mounted() as other:
            ran = other.work / "ran"
            with self.running(node, WAITS) as first:
                wait_for("no heartbeat was uploaded", lambda: counter_in(store), 60)
                with self.running(other, ("touch", str(ran)), attempt=2) as second:
                    at = beat_in(store)
                    wait_for("no heartbeats", lambda: counter_in(store) >= at + BEATS_OF_THE_DEAD, 120)
                    self.assertEqual((first.poll(), second.poll(), ran.exists()), (None, None, False), "both train")
                    called("pkill", "-TERM", "-P", str(first.pid))
                    first.communicate(timeout=60)
                    self.ended(other, second)
                    self.assertTrue(ran.exists(), "once the first has ended it begins")

    def test_a_heartbeat_is_one_upload_where_files_are_cached_and_three_calls_where_they_are_not(self):
        calls = {"off": {"PUT": 1, "COPY": 1, "DELETE": 1}, "minimal": {"PUT": 1, "COPY": 1, "DELETE": 1},
                 "writes": {"PUT": 1}, "full": {"PUT": 1}}
        self.each_at_once(CACHE_MODES, lambda mode: self.count_calls(mode, calls[mode]))

    def count_calls(self, mode, expected):
        with bucket() as store, store.node("a", mode).mounted() as node:
            with self.running(node, WAITS, REPRISE_WATCH_SECONDS="3600"):
                wait_for("it does not train", lambda: store.read(".reprise/attempts/1/resume.json") and counter_in(store), 60)
                at = beat_in(store)
                wait_for("no heartbeat was uploaded", lambda: counter_in(store) > at, 60)
                # A beat that comes while the one before is under way has it uploaded anew: on a busy machine some cost more.
                costs = [self.calls_of_a_beat(store)]
                while expected not in costs and len(costs) < MOST_LOOKS:
                    costs.append(self.calls_of_a_beat(store))
            self.assertIn(expected, costs)
            measured(f"rclone {mode}", beat=expected)

    def calls_of_a_beat(self, store):
        begin, at = store.log.stat().st_size, beat_in(store)
        wait_for("no heartbeats were uploaded", lambda: counter_in(store) >= at + BEATS, 120)
        seen, beats = store.requests(begin), beat_in(store) - at
        return {kind: round(seen[kind] / beats) for kind in ("PUT", "COPY", "DELETE") if seen[kind]}
