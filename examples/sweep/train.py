"""Fits a line by gradient descent with the learning rate that it is given; prints the loss that it reached."""

import argparse
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

STEPS, SAVE_EVERY, SECONDS_A_STEP = 200, 50, float(os.environ.get("SECONDS_A_STEP", "0.05"))
checkpoints = Path(os.environ["REPRISE_CHECKPOINT_DIR"])
asked_to_stop = False


def stop(_signal, _frame):
    global asked_to_stop
    asked_to_stop = True


def save(step, weights):
    directory = checkpoints / f"step-{step}"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "state.json").write_text(json.dumps({"step": step, "weights": weights}))
    (directory / "_COMPLETE").touch()  # last: without it the checkpoint does not count


parser = argparse.ArgumentParser()
parser.add_argument("--learning-rate", type=float, required=True)
rate = parser.parse_args().learning_rate
points = [(x, 3 * x + 1) for x in random.Random(0).choices(range(-10, 10), k=64)]

signal.signal(signal.SIGTERM, stop)
step, weights = 0, [0.0, 0.0]
if resume_from := os.environ.get("REPRISE_RESUME_FROM"):
    state = json.loads((Path(resume_from) / "state.json").read_text())
    step, weights = state["step"], state["weights"]

while step < STEPS:
    time.sleep(SECONDS_A_STEP)  # the work
    errors = [(weights[0] * x + weights[1] - y, x) for x, y in points]
    weights[0] -= rate * sum(error * x for error, x in errors) / len(errors)
    weights[1] -= rate * sum(error for error, _ in errors) / len(errors)
    step += 1
    print(f"step {step} loss {sum(error * error for error, _ in errors) / len(errors):.6f}", flush=True)
    if asked_to_stop or step % SAVE_EVERY == 0:
        save(step, weights)
    if asked_to_stop:
        sys.exit(143)
save(step, weights)
print(f"learning rate {rate}: loss {sum((weights[0] * x + weights[1] - y) ** 2 for x, y in points) / len(points):.6f}")
