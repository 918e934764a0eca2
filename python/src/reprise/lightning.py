"""For Lightning: Trainer(..., callbacks=[SaveOnNotice(), ModelCheckpoint(...)])."""

from __future__ import annotations

import os
from typing import Any, Optional

from lightning.pytorch.callbacks import Callback  # type: ignore[import-not-found, unused-ignore]

import reprise


class SaveOnNotice(Callback):  # type: ignore[misc, unused-ignore]
    """Saves when a notice asks for it, into `dirpath` or where ModelCheckpoint does, and ends the script behind the save of a stop."""

    def __init__(self, dirpath: Optional[str] = None) -> None:
        self._dirpath = dirpath
        self._step: Optional[int] = None

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self._step = trainer.global_step
        reprise._job.begin(trainer.global_step, trainer.max_steps if trainer.max_steps > 0 else None)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, *_: Any) -> None:
        if trainer.global_step == self._step:  # a batch whose gradients are only gathered
            return
        self._step = trainer.global_step
        if reprise.should_save(self._step):
            saver = trainer.checkpoint_callback
            where = self._dirpath or getattr(saver, "dirpath", None) or os.environ["REPRISE_CHECKPOINT_DIR"]
            if not (reprise.stopping() and getattr(saver, "save_on_exception", False)):  # which saves by itself
                trainer.save_checkpoint(os.path.join(where, f"epoch={trainer.current_epoch}-step={self._step}.ckpt"))
            reprise.exit_if_stopping()
