"""transformers.Trainer on a tiny GPT-2 of its own, from no hub; one callback does what Reprise asks for."""

import os
import signal
import sys
import time
from pathlib import Path

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

STEPS, SAVE_EVERY, SECONDS_A_STEP = 150, 50, float(os.environ.get("SECONDS_A_STEP", "0.05"))
checkpoints = Path(os.environ["REPRISE_CHECKPOINT_DIR"])
asked_to_stop = False


def stop(_signal, _frame):
    global asked_to_stop
    asked_to_stop = True


class Reprise(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        time.sleep(SECONDS_A_STEP)  # the work of a larger model
        print(f"step {state.global_step}", flush=True)
        if asked_to_stop:
            control.should_save = control.should_training_stop = True

    def on_save(self, args, state, control, **kwargs):
        if state.is_world_process_zero:  # all of the checkpoint has been written
            (checkpoints / f"checkpoint-{state.global_step}" / "_COMPLETE").touch()


set_seed(0)
words = torch.randint(0, 64, (256, 16), generator=torch.Generator().manual_seed(0))
data = [{"input_ids": row, "labels": row} for row in words]
model = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=16, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0))
arguments = TrainingArguments(output_dir=str(checkpoints), max_steps=STEPS, per_device_train_batch_size=8,
                              save_strategy="steps", save_steps=SAVE_EVERY, logging_steps=SAVE_EVERY, report_to=[],
                              disable_tqdm=True, seed=0, data_seed=0)
trainer = Trainer(model=model, args=arguments, train_dataset=data, callbacks=[Reprise()])
signal.signal(signal.SIGTERM, stop)
resume_from = os.environ.get("REPRISE_RESUME_FROM")
if resume_from and int(resume_from.rsplit("-", 1)[1]) >= STEPS:
    sys.exit(0)  # asked to stop after its last step; Trainer would train one more
trainer.train(resume_from_checkpoint=resume_from or None)
if trainer.state.global_step < STEPS:
    sys.exit(143)
