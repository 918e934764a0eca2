"""For transformers.Trainer: Trainer(..., callbacks=[SaveOnNotice()]), in place of enable_jit_checkpoint."""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback  # type: ignore[import-not-found, unused-ignore]

import reprise


class SaveOnNotice(TrainerCallback):  # type: ignore[misc, unused-ignore]
    """Has Trainer save when a notice asks for it, and leave train() behind the save of a stop."""

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        reprise._job.begin(state.global_step, state.max_steps)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        if reprise.should_save(state.global_step):
            control.should_save = True
            control.should_training_stop |= reprise.stopping()
            control.should_evaluate &= not reprise.stopping()
        return control

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        if reprise.stopping():  # saved is saved
            control.should_save = control.should_evaluate = False
        return control
