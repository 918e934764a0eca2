"""One of the processes that torchrun starts; rank 0 of all pods saves a whole checkpoint for everybody."""

import os
import signal
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

STEPS, SAVE_EVERY, SECONDS_A_STEP = 150, 50, float(os.environ.get("SECONDS_A_STEP", "0.05"))
checkpoints = Path(os.environ["REPRISE_CHECKPOINT_DIR"])
asked_to_stop = torch.zeros(1)

dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")  # RANK, WORLD_SIZE, ... are torchrun's
rank, world = dist.get_rank(), dist.get_world_size()
device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if torch.cuda.is_available() else torch.device("cpu")

torch.manual_seed(0)  # the same first weights in every rank
model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)).to(device))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)


def batch(step):
    """The same for a step whenever it is trained; other rows in each rank."""
    generator = torch.Generator().manual_seed(step * world + rank)
    rows = torch.randn(16, 8, generator=generator)
    return rows.to(device), rows.sum(dim=1, keepdim=True).sin().to(device)


def save(step):
    directory = checkpoints / f"step-{step}"
    if rank == 0:
        directory.mkdir(parents=True, exist_ok=True)
        torch.save({"model": model.module.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, directory / "state.pt")
        (directory / "_COMPLETE").touch()  # last: without it the checkpoint does not count
    dist.barrier()  # nobody ends before it is there: torchrun stops all when one has ended


step = 0
if resume_from := os.environ.get("REPRISE_RESUME_FROM"):
    loaded = torch.load(Path(resume_from) / "state.pt", map_location=device)
    model.module.load_state_dict(loaded["model"])
    optimizer.load_state_dict(loaded["optimizer"])
    step = loaded["step"]

signal.signal(signal.SIGTERM, lambda *_: asked_to_stop.fill_(1))
while step < STEPS:
    time.sleep(SECONDS_A_STEP)  # the work of a larger model
    rows, wanted = batch(step)
    loss = torch.nn.functional.mse_loss(model(rows), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    if os.environ["LOCAL_RANK"] == "0":
        print(f"step {step} loss {loss.item():.6f}", flush=True)
    # The signal reaches the ranks in different steps; one that was told tells the others.
    stop = asked_to_stop.clone().to(device)
    dist.all_reduce(stop, op=dist.ReduceOp.MAX)
    if stop.item() or step % SAVE_EVERY == 0 or step == STEPS:
        save(step)
    if stop.item() and step < STEPS:
        sys.exit(143)
dist.destroy_process_group()
