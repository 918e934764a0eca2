"""Each pod is one rank of DistributedDataParallel; all ranks save together with torch.distributed.checkpoint."""

import os
import signal
import sys
import time

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.nn.parallel import DistributedDataParallel

STEPS, SAVE_EVERY, SECONDS_A_STEP = 150, 50, float(os.environ.get("SECONDS_A_STEP", "0.05"))
checkpoints = os.environ["REPRISE_CHECKPOINT_DIR"]
asked_to_stop = torch.zeros(1)

rank, world = int(os.environ.get("PET_NODE_RANK", 0)), int(os.environ.get("PET_NNODES", 1))
meeting = f"tcp://{os.environ.get('PET_MASTER_ADDR', '127.0.0.1')}:{os.environ.get('PET_MASTER_PORT', '29400')}"
dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo", init_method=meeting, rank=rank, world_size=world)
device = torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")

torch.manual_seed(0)  # the same first weights in every rank
model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)).to(device))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)


def batch(step):
    """The same for a step whenever it is trained; other rows in each rank."""
    generator = torch.Generator().manual_seed(step * world + rank)
    rows = torch.randn(16, 8, generator=generator)
    return rows.to(device), rows.sum(dim=1, keepdim=True).sin().to(device)


def state(step):
    weights, momenta = get_state_dict(model, optimizer)
    return {"model": weights, "optimizer": momenta, "step": torch.tensor(step)}


step = 0
if resume_from := os.environ.get("REPRISE_RESUME_FROM"):
    loaded = state(0)
    dcp.load(loaded, checkpoint_id=resume_from)
    set_state_dict(model, optimizer, model_state_dict=loaded["model"], optim_state_dict=loaded["optimizer"])
    step = int(loaded["step"])

signal.signal(signal.SIGTERM, lambda *_: asked_to_stop.fill_(1))
while step < STEPS:
    time.sleep(SECONDS_A_STEP)  # the work of a larger model
    rows, wanted = batch(step)
    loss = torch.nn.functional.mse_loss(model(rows), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    print(f"step {step} loss {loss.item():.6f}", flush=True)
    # The signal reaches the ranks in different steps; one that was told tells the others.
    stop = asked_to_stop.clone().to(device)
    dist.all_reduce(stop, op=dist.ReduceOp.MAX)
    if stop.item() or step % SAVE_EVERY == 0 or step == STEPS:
        dcp.save(state(step), checkpoint_id=f"{checkpoints}/step-{step}")  # returns when every rank has written
    if stop.item():
        break
dist.destroy_process_group()
sys.exit(0 if step == STEPS else 143)
