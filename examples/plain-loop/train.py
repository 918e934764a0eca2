"""A training loop with the module `reprise`: it resumes, saves when a notice asks for it, and marks what is complete."""

import json
import os
import time
from pathlib import Path

import reprise

STEPS, SECONDS_A_STEP, SAVE_EVERY = 200, float(os.environ.get("SECONDS_A_STEP", "0.05")), 50
checkpoints = Path(os.environ.get("REPRISE_CHECKPOINT_DIR", "checkpoints"))


def save(step, weight):
    directory = checkpoints / f"step-{step}"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "state.json").write_text(json.dumps({"step": step, "weight": weight}))
    (directory / "_COMPLETE").touch()  # last: without it the checkpoint does not count


start, weight = 0, 1.0
if resume_from := reprise.resume_from():
    state = json.loads((Path(resume_from) / "state.json").read_text())
    start, weight = state["step"], state["weight"]

for step in reprise.steps(start, STEPS):
    time.sleep(SECONDS_A_STEP)  # the work
    weight *= 0.99
    if reprise.should_save(step) or step % SAVE_EVERY == 0:
        save(step, weight)
save(STEPS, weight)
