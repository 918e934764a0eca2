import os
import signal
import sys
import threading
import types
import unittest
from unittest import mock

from job_case import JobCase

from reprise._job import Job


class OutsideOfAJob(unittest.TestCase):
    def test_nothing_is_done(self):
        before = signal.getsignal(signal.SIGTERM)
        job = Job({})
        job.report(1, 10)
        self.assertEqual((job.should_save(1), job.deadline(), job.resume_from(), job.stopping()), (False, None, None, False))
        self.assertIs(signal.getsignal(signal.SIGTERM), before)


class Notices(JobCase):
    def test_without_one_nothing_is_saved(self):
        job = self.job()
        self.assertEqual([job.should_save(step) for step in (1, 2)], [False, False])
        self.assertIsNone(job.deadline())

    def test_without_a_step_asks_for_a_save_behind_the_next_step_and_once(self):
        job = self.job()
        job.should_save(1)
        self.notice()
        self.assertEqual([job.should_save(step) for step in (2, 3, 4)], [True, False, False])
        self.assertTrue(job.stopping())

    def test_the_same_step_gets_the_same_answer(self):
        job = self.job()
        self.notice()
        self.assertEqual([job.should_save(7), job.should_save(7), job.should_save(8)], [True, True, False])

    def test_a_request_is_no_stop_and_a_stop_behind_it_asks_again(self):
        job = self.job()
        self.notice(reason="CheckpointRequest")
        self.assertTrue(job.should_save(1))
        self.assertFalse(job.stopping())
        self.notice(request=2)
        self.assertTrue(job.should_save(2))
        self.assertTrue(job.stopping())

    def test_a_stop_during_the_save_of_its_very_step_is_answered_by_it(self):
        job = self.job(WORLD_SIZE="2", LOCAL_WORLD_SIZE="2")
        self.notice(reason="CheckpointRequest", step=6, agreed=True)
        self.assertTrue(job.should_save(6))
        self.assertFalse(job.stopping())
        self.notice(request=2, step=6, agreed=True)
        self.assertTrue(job.stopping())
        self.assertFalse(job.should_save(7))

    def test_one_that_is_met_and_taken_away_asks_for_nothing(self):
        job = self.job()
        self.notice(reason="CheckpointRequest")
        (self.place / "notice").unlink()
        self.assertFalse(job.should_save(1))

    def test_of_another_attempt_is_none(self):
        self.notice(attempt=2)
        self.assertFalse(self.job().should_save(1))

    def test_that_is_half_written_is_read_again(self):
        job = self.job()
        (self.place / "notice").write_text('{"reason": "St')
        self.assertFalse(job.should_save(1))
        self.notice()
        self.assertTrue(job.should_save(2))

    def test_says_how_much_time_is_left(self):
        job = self.job()
        self.notice()
        self.assertEqual(job.deadline(), 88)
        self.clock.now += 80
        self.assertEqual(job.deadline(), 8)
        self.clock.now += 80
        self.assertEqual(job.deadline(), 0)


class NamedSteps(JobCase):
    def test_ranks_that_read_the_notice_at_different_steps_save_at_the_same_one(self):
        ranks = [self.job(REPRISE_PARALLELISM="2") for _ in range(2)]
        saved = [[], []]
        for step in range(1, 12):
            for rank, job in enumerate(ranks):
                if step == 4 and rank == 1:  # behind rank 0's look at this step, before rank 1's
                    self.notice(step=6)
                if job.should_save(step):
                    saved[rank].append(step)
        self.assertEqual(saved, [[6], [6]])

    def test_a_step_that_is_jumped_over_means_the_next(self):
        job = self.job()
        self.notice(step=5)
        self.assertEqual([job.should_save(step) for step in (2, 4, 6, 8)], [False, False, True, False])

    def test_who_reaches_a_step_that_is_not_agreed_on_waits(self):
        job = self.job(REPRISE_PARALLELISM="2")
        self.notice(step=5, agreed=False)
        self.clock.on_wait = lambda now: now > 0.3 and self.notice(step=5, agreed=True)
        self.assertFalse(job.should_save(4))
        self.assertTrue(job.should_save(5))
        self.assertAlmostEqual(self.clock.now, 0.3, delta=0.02)

    def test_a_step_that_another_rank_has_passed_is_taken_back(self):
        job = self.job(REPRISE_PARALLELISM="2")
        self.notice(step=5, agreed=False)
        self.clock.on_wait = lambda now: self.notice(step=9, agreed=False)
        self.assertFalse(job.should_save(5))
        self.notice(step=9)
        self.assertEqual([job.should_save(step) for step in (8, 9)], [False, True])

    def test_where_the_agents_go_quiet_a_stop_saves_and_a_request_trains_on(self):
        for reason, saves in (("Stop", True), ("CheckpointRequest", False)):
            self.clock.now = 0.0
            self.notice(reason=reason, step=5, agreed=False)
            self.assertEqual(self.job(REPRISE_PARALLELISM="2").should_save(5), saves)
            self.assertAlmostEqual(self.clock.now, 10, delta=0.1)

    def test_a_request_without_a_step_never_has_several_processes_wait_for_each_other(self):
        self.notice(reason="CheckpointRequest")
        self.assertFalse(self.job(REPRISE_PARALLELISM="2").should_save(1))
        self.assertFalse(self.job(WORLD_SIZE="4").should_save(1))
        self.assertTrue(self.job(WORLD_SIZE="1").should_save(1))

    def test_no_collective_is_called(self):
        # Whatever else torch.distributed has, this one has not.
        distributed = types.SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True, get_world_size=lambda: 4)
        with mock.patch.dict(sys.modules, {"torch.distributed": distributed}):
            job = self.job(REPRISE_PARALLELISM="2")
            self.notice(step=3)
            self.assertEqual([job.should_save(step) for step in (2, 3)], [False, True])
        self.assertEqual((self.said()["worldSize"], self.said()["localWorldSize"]), (4, 2))


class Progress(JobCase):
    def test_is_told_before_the_notice_is_read(self):
        """Else the agent could name a step that this process passes without having seen it."""
        job = self.job(WORLD_SIZE="2")
        told = []
        with mock.patch.object(job._file, "read", lambda: told.append(self.said()["step"])):
            job.should_save(1)
            job.should_save(2)
        self.assertEqual(told, [1, 2])

    def test_has_the_total_once_it_is_known(self):
        job = self.job()
        job.report(3, 100)
        self.assertEqual(self.said(), {"step": 3, "totalSteps": 100, "sameStep": 3})
        self.clock.now += 1
        job.should_save(4)
        self.assertEqual(self.said(), {"step": 4, "totalSteps": 100, "savesOnNotice": True, "worldSize": 1, "localWorldSize": 1,
                                       "pid": os.getpid(), "sameStep": 4})

    def test_alone_promises_no_answer_to_notices(self):
        """A script that handles SIGTERM itself and never asks should_save() is told by SIGTERM, and at once."""
        before = signal.getsignal(signal.SIGTERM)
        self.addCleanup(signal.signal, signal.SIGTERM, before)
        own = lambda *_: None  # noqa: E731
        signal.signal(signal.SIGTERM, own)
        job = self.job()
        job.begin(0, 10, unless_handled=True)
        job.report(1, 10)
        self.assertNotIn("savesOnNotice", self.said())
        self.assertIs(signal.getsignal(signal.SIGTERM), own)

    def test_of_a_process_alone_is_written_a_few_times_a_second(self):
        job = self.job()
        for step in range(1, 101):
            self.clock.now += 0.01
            job.report(step, 1000)
        self.assertGreaterEqual(self.said()["step"], 78)
        self.assertEqual(os.listdir(self.place), ["progress.json"])
        job.report(1000, 1000)
        self.assertEqual(self.said()["step"], 1000)

    def test_of_an_earlier_attempt_leaves_nothing_behind_it(self):
        (self.place / "progress.json").write_text("{" + " " * 1000 + "}")
        self.job().report(3, 100)
        self.assertEqual(self.said()["step"], 3)

    def test_that_cannot_be_written_stops_nobody(self):
        job = self.job(REPRISE_PROGRESS_FILE=str(self.place / "absent" / "progress.json"))
        job.report(1, 2)
        self.assertFalse(job.should_save(1))


class Signals(JobCase):
    """Without a notice file: SIGTERM is the notice."""

    def setUp(self):
        super().setUp()
        before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self.addCleanup(signal.signal, signal.SIGTERM, before)
        self.job_by_signal = Job({"REPRISE_JOB_UID": "uid", "REPRISE_CHECKPOINT_GRACE_SECONDS": "110"}, self.clock, self.clock.sleep)

    def test_sigterm_asks_for_a_save(self):
        self.assertFalse(self.job_by_signal.should_save(1))
        os.kill(os.getpid(), signal.SIGTERM)
        self.assertTrue(self.job_by_signal.should_save(2))
        self.assertFalse(self.job_by_signal.should_save(3))
        self.assertTrue(self.job_by_signal.stopping())
        self.assertEqual(self.job_by_signal.deadline(), 100)

    def test_sigterm_behind_a_request_by_file_asks_again(self):
        job = self.job(REPRISE_PROGRESS_FILE=str(self.place / "absent" / "progress.json"))
        self.notice(reason="CheckpointRequest")
        self.assertTrue(job.should_save(1))
        (self.place / "notice").unlink()
        os.kill(os.getpid(), signal.SIGTERM)
        self.assertTrue(job.should_save(2))
        self.assertTrue(job.stopping())

    def test_a_handler_of_the_scripts_own_stays(self):
        own = lambda *_: None  # noqa: E731
        signal.signal(signal.SIGTERM, own)
        self.job_by_signal.should_save(1)
        self.assertIs(signal.getsignal(signal.SIGTERM), own)

    def test_of_an_agent_that_gives_notices_ends_the_process(self):
        for name in ("REPRISE_NOTICE_FILE", "REPRISE_STEP_FILE"):
            environment = {"REPRISE_JOB_UID": "uid", name: str(self.place / "notice"), "REPRISE_PROGRESS_FILE": str(self.place / "progress.json")}
            job = Job(environment, self.clock, self.clock.sleep)
            job.should_save(1)
            self.assertIs(signal.getsignal(signal.SIGTERM), signal.SIG_DFL)
            self.notice()
            self.assertTrue(job.should_save(2))
            (self.place / "notice").unlink()

    def test_is_the_notice_where_the_agent_cannot_hear_that_its_notices_are_read(self):
        self.job(REPRISE_PROGRESS_FILE=str(self.place / "absent" / "progress.json")).should_save(1)
        self.assertIsNot(signal.getsignal(signal.SIGTERM), signal.SIG_DFL)

    def test_a_second_one_and_a_child_that_is_forked_end_of_it(self):
        self.job_by_signal.should_save(1)
        child = os.fork()
        if child == 0:
            os.kill(os.getpid(), signal.SIGTERM)
            os._exit(0)
        self.assertEqual(os.WTERMSIG(os.waitpid(child, 0)[1]), signal.SIGTERM)

    def test_a_thread_of_the_script_may_ask(self):
        thread = threading.Thread(target=self.job_by_signal.should_save, args=(1,))
        thread.start()
        thread.join()
        self.assertIs(signal.getsignal(signal.SIGTERM), signal.SIG_DFL)


if __name__ == "__main__":
    unittest.main()
