"""A script for transformers' Trainer as its manual has it; the resume line at the end is all that Reprise adds."""

import os
import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

EPOCHS, SAVE_EVERY, SECONDS_A_STEP = 5, 50, float(os.environ.get("SECONDS_A_STEP", "0.05"))


class LargerModel(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        time.sleep(SECONDS_A_STEP)  # its work
        print(f"step {state.global_step}", flush=True)


set_seed(0)
words = torch.randint(0, 64, (512, 16), generator=torch.Generator().manual_seed(0))
data = [{"input_ids": row, "labels": row} for row in words]
# Without dropout: the save on SIGTERM may come behind a forward pass, and then with its random numbers drawn.
model = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=16, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0,
                                   resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0))
arguments = TrainingArguments(output_dir=os.environ["REPRISE_CHECKPOINT_DIR"], num_train_epochs=EPOCHS, per_device_train_batch_size=8,
                              save_strategy="steps", save_steps=SAVE_EVERY, enable_jit_checkpoint=True, logging_steps=SAVE_EVERY,
                              report_to=[], disable_tqdm=True)
trainer = Trainer(model=model, args=arguments, train_dataset=data, callbacks=[LargerModel()])
trainer.train(resume_from_checkpoint=os.environ.get("REPRISE_RESUME_FROM"))
