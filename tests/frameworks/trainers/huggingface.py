"""transformers' Trainer with the callback of reprise.huggingface."""

import os
import time

import torch
from reprise.huggingface import SaveOnNotice
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

import reprise

WITHOUT = "WITHOUT" in os.environ  # the module: Trainer's own save on SIGTERM
STEPS, SECONDS_A_STEP = int(os.environ["STEPS"]), float(os.environ["SECONDS_A_STEP"])


class LargerModel(TrainerCallback):
    def on_train_begin(self, args, state, control, **kwargs):
        print(f"begins behind {state.global_step}", flush=True)

    def on_step_end(self, args, state, control, **kwargs):
        time.sleep(SECONDS_A_STEP)  # its work

    def on_save(self, args, state, control, **kwargs):
        print(f"saves {state.global_step}", flush=True)


set_seed(0)
words = torch.randint(0, 64, (512, 16), generator=torch.Generator().manual_seed(0))
model = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=16, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0))
arguments = TrainingArguments(output_dir=os.environ["REPRISE_CHECKPOINT_DIR"], max_steps=STEPS, per_device_train_batch_size=8, use_cpu=True,
                              ddp_backend="gloo", save_strategy="no", enable_jit_checkpoint=WITHOUT, logging_steps=10**6, report_to=[], disable_tqdm=True)
trainer = Trainer(model=model, args=arguments, train_dataset=[{"input_ids": row, "labels": row} for row in words],
                  callbacks=[LargerModel(), *([] if WITHOUT else [SaveOnNotice()])])
trainer.train(resume_from_checkpoint=reprise.resume_from())
reprise.exit_if_stopping()
