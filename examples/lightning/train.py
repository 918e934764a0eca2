"""A script for Lightning's Trainer as its manual has it; `ckpt_path` at the end is all that Reprise adds."""

import os
import time

import lightning
import torch
from lightning.pytorch.callbacks import ModelCheckpoint

STEPS, SAVE_EVERY, SECONDS_A_STEP = 150, 50, float(os.environ.get("SECONDS_A_STEP", "0.05"))


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))

    def training_step(self, indexes, _):
        time.sleep(SECONDS_A_STEP)  # the work of a larger model
        # Seeds by the step: Lightning does not put a plain data loader back to its place in a resumed epoch.
        generator = torch.Generator().manual_seed(self.global_step)
        rows = torch.randn(len(indexes), 8, generator=generator).to(self.device)
        loss = torch.nn.functional.mse_loss(self.layers(rows), rows.sum(dim=1, keepdim=True).sin())
        print(f"step {self.global_step + 1} loss {loss.item():.6f}", flush=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=0.01)


lightning.seed_everything(0)
data = torch.utils.data.DataLoader(range(STEPS * 16), batch_size=16)
# SIGTERM is an exception for Lightning, raised between two batches.
saves = ModelCheckpoint(dirpath=os.environ["REPRISE_CHECKPOINT_DIR"], every_n_train_steps=SAVE_EVERY, save_top_k=-1, save_on_exception=True)
trainer = lightning.Trainer(max_steps=STEPS, callbacks=[saves], logger=False, enable_progress_bar=False, enable_model_summary=False, devices=1)
trainer.fit(Model(), data, ckpt_path=os.environ.get("REPRISE_RESUME_FROM"))
