"""DistributedDataParallel by hand, a loop with reprise.steps, and torch.distributed.checkpoint, in which all ranks take part."""

import os
import signal
import time

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.nn.parallel import DistributedDataParallel

import reprise

STEPS, SECONDS_A_STEP = int(os.environ["STEPS"]), float(os.environ["SECONDS_A_STEP"])
dist.init_process_group("gloo")
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
asked = []  # without the module: as a script by hand has it, and no collective for it
if without := "WITHOUT" in os.environ:
    signal.signal(signal.SIGTERM, lambda *_: asked.append(True))


def state(step):
    return {"model": model.state_dict(), "step": torch.tensor(step)}


start = 0
if resume_from := reprise.resume_from():
    loaded = state(0)
    dcp.load(loaded, checkpoint_id=resume_from)
    model.load_state_dict(loaded["model"])
    start = int(loaded["step"])
print(f"begins behind {start}", flush=True)
for step in range(start + 1, STEPS + 1) if without else reprise.steps(start, STEPS):
    time.sleep(SECONDS_A_STEP)  # the work of a larger model
    optimizer.zero_grad()
    model(torch.randn(16, 8)).square().mean().backward()
    optimizer.step()
    if asked if without else reprise.should_save(step):
        print(f"saves {step}", flush=True)
        dcp.save(state(step), checkpoint_id=f"{os.environ['REPRISE_CHECKPOINT_DIR']}/step-{step}")
        if without:
            break
dist.destroy_process_group()
