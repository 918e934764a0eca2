"""A DeepSpeed engine with ZeRO stage 1; each rank saves its part of the optimizer."""

import os
import signal
import sys
import time

import deepspeed
import torch
import torch.distributed as dist

STEPS, SAVE_EVERY, SECONDS_A_STEP = 150, 50, float(os.environ.get("SECONDS_A_STEP", "0.05"))
checkpoints = os.environ["REPRISE_CHECKPOINT_DIR"]
asked_to_stop = torch.zeros(1)

rank, world = int(os.environ.get("PET_NODE_RANK", 0)), int(os.environ.get("PET_NNODES", 1))
os.environ.update(RANK=str(rank), WORLD_SIZE=str(world), LOCAL_RANK="0",
                  MASTER_ADDR=os.environ.get("PET_MASTER_ADDR", "127.0.0.1"), MASTER_PORT=os.environ.get("PET_MASTER_PORT", "29400"))
deepspeed.init_distributed("nccl" if torch.cuda.is_available() else "gloo")

torch.manual_seed(0)  # the same first weights in every rank
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
engine, _, _, _ = deepspeed.initialize(model=model, optimizer=optimizer, config={
    "train_micro_batch_size_per_gpu": 16, "zero_optimization": {"stage": 1}, "zero_allow_untested_optimizer": True})


def batch(step):
    """The same for a step whenever it is trained; other rows in each rank."""
    generator = torch.Generator().manual_seed(step * world + rank)
    rows = torch.randn(16, 8, generator=generator)
    return rows.to(engine.device), rows.sum(dim=1, keepdim=True).sin().to(engine.device)


step = 0
if resume_from := os.environ.get("REPRISE_RESUME_FROM"):
    engine.load_checkpoint(os.path.dirname(resume_from), tag=os.path.basename(resume_from))
    step = engine.global_steps

signal.signal(signal.SIGTERM, lambda *_: asked_to_stop.fill_(1))
while step < STEPS:
    time.sleep(SECONDS_A_STEP)  # the work of a larger model
    rows, wanted = batch(step)
    loss = torch.nn.functional.mse_loss(engine(rows), wanted)
    engine.backward(loss)
    engine.step()
    step += 1
    print(f"step {step} loss {loss.item():.6f}", flush=True)
    # The signal reaches the ranks in different steps; one that was told tells the others.
    stop = asked_to_stop.clone().to(engine.device)
    dist.all_reduce(stop, op=dist.ReduceOp.MAX)
    if stop.item() or step % SAVE_EVERY == 0 or step == STEPS:
        engine.save_checkpoint(checkpoints)  # by all ranks, as global_step<step>
    if stop.item():
        break
dist.destroy_process_group()
sys.exit(0 if step == STEPS else 143)
