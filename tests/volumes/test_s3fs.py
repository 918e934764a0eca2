"""Mounts by s3fs, which uploads a file when it is closed: what is resumed from when a daemon dies, and who sees whom."""

import lost_daemons
from agents import WAITS
from lost_daemons import MARKED, MIB, TIMES, WRITING, WRITTEN, counter_in
from mounts import wait_for
from results import measured
from s3fs_mounts import bucket_of_s3fs

SEES = "stat_cache_expire=1"  # seconds; else what one node knows of a file it keeps for a quarter of an hour
BEAT = {"REPRISE_HEARTBEAT_SECONDS": "4"}
BEATS = 4


class MountsByS3fs(lost_daemons.LostDaemon):
    def test_a_job_resumes_from_what_it_saved_nothing_is_deleted_and_it_is_told_who_is_protected(self):
        with bucket_of_s3fs() as store, store.node("a").mounted() as node:
            record = self.interrupted_and_resumed(node, store.read, "s3fs", "fuse.s3fs")
            self.assertIn("heartbeats and the fence protect one node only", record["message"])

    def test_what_a_daemon_had_not_uploaded_when_it_was_killed_is_never_resumed_from(self):
        for _ in range(TIMES):
            self.each_at_once((WRITING, WRITTEN, MARKED), self.lose_in_a_save)

    def lose_in_a_save(self, moment):
        with bucket_of_s3fs() as store:
            node = store.node("a")
            with node.mounted(), self.saving(node, store.read, moment) as (saved, _):
                node.lose()
                state = saved.state_in(store.read, 2)
                with store.node("b").mounted() as other:
                    resumed = self.resumed(other, saved)
                expected = "whole" if moment == MARKED else "torn"
                self.assertEqual((state, resumed), (expected, 2 if state == "whole" else 1), "its close has uploaded it")
                self.assertEqual(saved.state_in(store.read, 1), "whole", "it is deleted in favour of nothing")
                if moment == MARKED:
                    measured("s3fs", lost=2 - resumed)

    def test_a_daemon_that_is_killed_in_a_save_ends_its_trainer_and_the_next_attempt_resumes(self):
        for _ in range(TIMES):
            self.each_at_once((WRITING, MARKED), self.mount_anew)

    def mount_anew(self, moment):
        with bucket_of_s3fs() as store:
            node = store.node("a")
            with node.mounted(), self.saving(node, store.read, moment) as (saved, agent):
                node.kill_daemon()
                output, _ = agent.communicate(timeout=120)
                self.assertEqual(agent.returncode, 87, output)
                node.mount()
                state = saved.state_in(store.read, 2)
                self.assertEqual((state, self.resumed(node, saved)), ("whole", 2) if moment == MARKED else ("torn", 1))

    def test_a_save_that_a_full_store_refuses_costs_no_other(self):
        with bucket_of_s3fs() as store:
            def fills():
                store.store.room = 8 * MIB
            with store.node("a").mounted() as node, self.saving(node, store.read, None, fills) as (saved, agent):
                output, _ = agent.communicate(timeout=120)
                self.assertEqual(agent.returncode, 1, output)
                self.assertEqual([saved.state_in(store.read, step) for step in (1, 2)], ["whole", "torn"])
                store.store.room = None
                with store.node("b").mounted() as other:
                    self.assertEqual(self.resumed(other, saved), 1)

    def test_a_live_writer_is_joined_by_nobody_who_keeps_what_is_known_of_a_file_for_a_second(self):
        with bucket_of_s3fs() as store, store.node("a", SEES).mounted() as node, store.node("b", SEES).mounted() as other:
            self.refused_beside(node, store.read, other, BEAT)

    def test_what_a_heartbeat_asks_of_the_store(self):
        with bucket_of_s3fs() as store, store.node("a").mounted() as node:
            with self.running(node, WAITS, REPRISE_WATCH_SECONDS="3600", **BEAT):
                wait_for("it does not train", lambda: store.read(".reprise/attempts/1/resume.json"), 60)
                at = counter_in(store)
                wait_for("no heartbeat", lambda: counter_in(store) > at)
                store.store.seen.clear()
                at = counter_in(store)
                wait_for("no heartbeats", lambda: counter_in(store) >= at + BEATS, 60)
                seen, beats = dict(store.store.seen), counter_in(store) - at
            writing = {kind: round(seen[kind] / beats) for kind in ("PUT", "COPY", "DELETE") if kind in seen}
            self.assertEqual(writing, {"PUT": 1, "COPY": 1, "DELETE": 1}, seen)
            measured("s3fs", beat=writing)
