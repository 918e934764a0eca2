"""The helper for a plain loop and the callbacks, whose libraries are played: tests/frameworks/notices has the real ones."""

import importlib
import sys
import types
import unittest
from unittest import mock

from job_case import JobCase

import reprise


class Training(JobCase):
    def setUp(self):
        super().setUp()
        self.saved = []

    def play(self, job):
        patched = mock.patch.object(reprise, "_job", job)
        patched.start()
        self.addCleanup(patched.stop)


class Loop(Training):
    def train(self, start, total, **notices):
        for step in reprise.steps(start, total):
            if step in notices.get("at", {}):
                self.notice(**notices["at"][step])
            if reprise.should_save(step):
                self.saved.append(step)
        return step

    def test_counts_the_steps_that_are_left_and_reports_them(self):
        self.play(self.job())
        self.assertEqual(self.train(3, 6), 6)
        self.assertEqual((self.said()["step"], self.said()["totalSteps"]), (6, 6))

    def test_ends_the_script_behind_the_save_of_a_stop(self):
        self.play(self.job())
        with self.assertRaises(SystemExit) as end:
            self.train(0, 10, at={4: {}})
        self.assertEqual((self.saved, end.exception.code), ([4], 143))

    def test_goes_on_behind_the_save_of_a_request(self):
        self.play(self.job())
        self.assertEqual(self.train(0, 10, at={4: {"reason": "CheckpointRequest"}}), 10)
        self.assertEqual(self.saved, [4])

    def test_a_training_that_is_done_goes_on_to_its_end(self):
        self.play(self.job())
        self.assertEqual(self.train(0, 4, at={4: {}}), 4)

    def test_below_a_launcher_the_script_ends_with_0_so_that_the_other_ranks_may_save(self):
        self.play(self.job(WORLD_SIZE="4", LOCAL_WORLD_SIZE="2"))
        with self.assertRaises(SystemExit) as end:
            self.train(0, 10, at={4: {"step": 6}})
        self.assertEqual((self.saved, end.exception.code), ([6], 0))


def callback(library, module, base, **more):
    """reprise.huggingface or reprise.lightning, beside a library that has no more than the base of its callbacks."""
    parts = {module: types.SimpleNamespace(**{base: object}, **more)}
    if "." in module:
        parts.update({name: types.ModuleType(name) for name in ("lightning", "lightning.pytorch")})
    with mock.patch.dict(sys.modules, parts):
        sys.modules.pop(f"reprise.{library}", None)
        return importlib.import_module(f"reprise.{library}").SaveOnNotice


class HuggingFace(Training):
    """As Trainer's loop has it: on_step_end, then what the control says, then on_epoch_end."""

    def train(self, total, at, save_at_epoch_end=False, evaluate_every=0):
        told = callback("huggingface", "transformers", "TrainerCallback")()
        state = types.SimpleNamespace(global_step=0, max_steps=total)
        control = types.SimpleNamespace(should_save=False, should_training_stop=False, should_evaluate=False)
        told.on_train_begin(None, state, control)
        self.evaluated = []
        while state.global_step < total and not control.should_training_stop:
            state.global_step += 1
            if state.global_step in at:
                self.notice(**at[state.global_step])
            control.should_save, control.should_evaluate = False, bool(evaluate_every)
            told.on_step_end(None, state, control, model=None)
            self.evaluated += [state.global_step] if control.should_evaluate else []
            self.saved += [state.global_step] if control.should_save else []
        control.should_save = save_at_epoch_end
        told.on_epoch_end(None, state, control)
        self.saved += ["epoch"] if control.should_save else []
        return state.global_step

    def test_saves_and_leaves_at_the_step_that_a_stop_names(self):
        self.play(self.job(WORLD_SIZE="2"))
        self.assertEqual(self.train(20, {4: {"step": 7}}), 7)
        self.assertEqual(self.saved, [7])

    def test_neither_evaluates_nor_saves_again_behind_the_save_of_a_stop(self):
        self.play(self.job())
        self.train(20, {3: {}}, save_at_epoch_end=True, evaluate_every=1)
        self.assertEqual((self.saved, self.evaluated), ([3], [1, 2]))

    def test_a_request_is_saved_and_the_training_goes_on(self):
        self.play(self.job())
        self.assertEqual(self.train(20, {4: {"reason": "CheckpointRequest"}}, save_at_epoch_end=True), 20)
        self.assertEqual(self.saved, [4, "epoch"])

    def test_the_agent_hears_of_it_before_the_first_step(self):
        self.play(self.job())
        self.train(0, {})
        self.assertTrue(self.said()["savesOnNotice"])


class Lightning(Training):
    """As Lightning's loop has it: on_train_batch_end behind each batch, and global_step moves with the optimizer."""

    def train(self, total, at, accumulate=1, saver=None):
        told = callback("lightning", "lightning.pytorch.callbacks", "Callback")()
        trainer = types.SimpleNamespace(global_step=0, current_epoch=1, max_steps=total, checkpoint_callback=saver,
                                        save_checkpoint=lambda path: self.saved.append(path))
        told.on_train_start(trainer, None)
        for batch in range(1, total * accumulate + 1):
            trainer.global_step = batch // accumulate
            if batch in at:
                self.notice(**at[batch])
            told.on_train_batch_end(trainer, None, None, None, batch)
        return trainer.global_step

    def saver(self, **more):
        return types.SimpleNamespace(dirpath="/there", **more)

    def test_saves_at_the_step_that_a_stop_names_and_ends_the_script(self):
        self.play(self.job(WORLD_SIZE="2"))
        with self.assertRaises(SystemExit):
            self.train(20, {4: {"step": 7}}, saver=self.saver())
        self.assertEqual(self.saved, ["/there/epoch=1-step=7.ckpt"])

    def test_saves_onto_the_jobs_volume_where_nobody_names_a_place(self):
        self.play(self.job())
        with mock.patch.dict("os.environ", {"REPRISE_CHECKPOINT_DIR": "/checkpoints"}), self.assertRaises(SystemExit):
            self.train(20, {4: {}})
        self.assertEqual(self.saved, ["/checkpoints/epoch=1-step=4.ckpt"])

    def test_a_request_is_saved_and_the_training_goes_on(self):
        self.play(self.job())
        self.assertEqual(self.train(9, {4: {"reason": "CheckpointRequest"}}, saver=self.saver(save_on_exception=True)), 9)
        self.assertEqual(self.saved, ["/there/epoch=1-step=4.ckpt"])

    def test_a_model_checkpoint_that_saves_on_exceptions_saves_once(self):
        self.play(self.job())
        with self.assertRaises(SystemExit):
            self.train(9, {4: {}}, saver=self.saver(save_on_exception=True))
        self.assertEqual(self.saved, [])  # ModelCheckpoint does, of the exception

    def test_batches_whose_gradients_are_only_gathered_are_no_steps(self):
        self.play(self.job())
        with self.assertRaises(SystemExit):
            self.train(9, {5: {}}, accumulate=4, saver=self.saver())
        self.assertEqual(self.saved, ["/there/epoch=1-step=2.ckpt"])


if __name__ == "__main__":
    unittest.main()
