"""A training loop with all that Reprise asks of one: it resumes, saves on SIGTERM, and marks what is complete."""

import json
import os
import signal
import sys
import time
from pathlib import Path

STEPS, SECONDS_A_STEP, SAVE_EVERY = 200, 0.05, 50
checkpoints = Path(os.environ["REPRISE_CHECKPOINT_DIR"])
asked_to_stop = False


def stop(_signal, _frame):
    global asked_to_stop
    asked_to_stop = True


def save(step, weight):
    directory = checkpoints / f"step-{step}"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "state.json").write_text(json.dumps({"step": step, "weight": weight}))
    (directory / "_COMPLETE").touch()  # last: without it the checkpoint does not count


signal.signal(signal.SIGTERM, stop)
step, weight = 0, 1.0
if resume_from := os.environ.get("REPRISE_RESUME_FROM"):
    state = json.loads((Path(resume_from) / "state.json").read_text())
    step, weight = state["step"], state["weight"]

while step < STEPS:
    time.sleep(SECONDS_A_STEP)  # the work
    step, weight = step + 1, weight * 0.99
    print(f"step {step} weight {weight:.6f}", flush=True)
    if asked_to_stop or step % SAVE_EVERY == 0:
        save(step, weight)
    if asked_to_stop:
        sys.exit(143)
save(step, weight)
