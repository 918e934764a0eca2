"""Lightning's Trainer; one callback does what Reprise asks for. Lightning notices SIGTERM by itself."""

import os
import sys
import time
from pathlib import Path

import lightning
import torch

STEPS, SAVE_EVERY, SECONDS_A_STEP = 150, 50, float(os.environ.get("SECONDS_A_STEP", "0.05"))
checkpoints = Path(os.environ["REPRISE_CHECKPOINT_DIR"])


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Dropout(0.1), torch.nn.Linear(32, 1))

    def training_step(self, indexes, _):
        time.sleep(SECONDS_A_STEP)  # the work of a larger model
        # By the step: where an epoch is resumed midway, Lightning does not put a plain data loader back to its place.
        generator = torch.Generator().manual_seed(self.global_step)
        rows = torch.randn(len(indexes), 8, generator=generator).to(self.device)
        loss = torch.nn.functional.mse_loss(self.layers(rows), rows.sum(dim=1, keepdim=True).sin())
        print(f"step {self.global_step + 1} loss {loss.item():.6f}", flush=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=0.01)

    def on_save_checkpoint(self, checkpoint):
        checkpoint["random"] = torch.get_rng_state()  # for the dropout

    def on_load_checkpoint(self, checkpoint):
        self.random = checkpoint["random"]

    def on_train_start(self):
        if hasattr(self, "random"):
            torch.set_rng_state(self.random)


class Reprise(lightning.Callback):
    def save(self, trainer):
        directory = checkpoints / f"step-{trainer.global_step}"
        trainer.save_checkpoint(directory / "model.ckpt")  # by all ranks; returns when it is written
        if trainer.is_global_zero:
            (directory / "_COMPLETE").touch()  # last: without it the checkpoint does not count

    def on_train_batch_end(self, trainer, *_):
        if trainer.global_step % SAVE_EVERY == 0:
            self.save(trainer)

    def on_exception(self, trainer, model, exception):
        if trainer.received_sigterm:
            self.save(trainer)


lightning.seed_everything(0)
data = torch.utils.data.DataLoader(range(STEPS * 16), batch_size=16)
trainer = lightning.Trainer(max_steps=STEPS, callbacks=[Reprise()], logger=False, enable_checkpointing=False,
                            enable_progress_bar=False, enable_model_summary=False, devices=1)
resume_from = os.environ.get("REPRISE_RESUME_FROM")
trainer.fit(Model(), data, ckpt_path=Path(resume_from) / "model.ckpt" if resume_from else None)
sys.exit(0 if trainer.global_step == STEPS else 143)
