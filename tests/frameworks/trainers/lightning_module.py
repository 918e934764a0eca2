"""Lightning's Trainer with the callback of reprise.lightning."""

import os
import time

import lightning
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from reprise.lightning import SaveOnNotice

import reprise

WITHOUT = "WITHOUT" in os.environ  # the module: Lightning's own save on SIGTERM
STEPS, SECONDS_A_STEP = int(os.environ["STEPS"]), float(os.environ["SECONDS_A_STEP"])


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)

    def on_train_start(self):
        print(f"begins behind {self.global_step}", flush=True)

    def training_step(self, rows, _):
        time.sleep(SECONDS_A_STEP)  # the work of a larger model
        return self.layer(rows).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)

    def on_save_checkpoint(self, checkpoint):
        print(f"saves {self.global_step}", flush=True)


data = torch.utils.data.DataLoader(torch.randn(STEPS * 32, 8), batch_size=16)
saves = ModelCheckpoint(dirpath=os.environ["REPRISE_CHECKPOINT_DIR"], every_n_train_steps=10**6, save_top_k=-1,
                        save_on_exception=WITHOUT)
trainer = lightning.Trainer(max_steps=STEPS, callbacks=[saves] if WITHOUT else [SaveOnNotice(), saves], logger=False, enable_progress_bar=False,
                            enable_model_summary=False, accelerator="cpu", devices=1, num_nodes=int(os.environ["WORLD_SIZE"]), strategy="ddp")
trainer.fit(Model(), data, ckpt_path=reprise.resume_from())
