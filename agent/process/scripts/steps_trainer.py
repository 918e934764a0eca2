"""A rank whose steps wait for the other ranks, with the module `reprise`; a save of theirs is whole when all have saved at one step.

  steps_trainer.py VOLUME MEETING RANK RANKS SECONDS_A_STEP [SECONDS_TO_END [SECONDS_BEFORE_IT_ASKS]]
"""

import sys
import time
from pathlib import Path

import reprise

volume, meeting, rank, ranks = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
done = [meeting / str(other) for other in range(ranks)]


def steps_of(file):
    try:
        return int(file.read_text() or 0)
    except FileNotFoundError:
        return 0


def wait_for_all(step):
    done[rank].write_text(str(step))
    while any(steps_of(file) < step for file in done):
        time.sleep(0.001)


def save(step):
    directory = volume / f"step-{step}"
    directory.mkdir(exist_ok=True)
    (directory / f"rank-{rank}").write_text("weights")
    # As in a collective save: nobody goes on before all have saved this step.
    while len(list(directory.glob("rank-*"))) < ranks:
        time.sleep(0.01)
    if rank == 0:
        (directory / "_COMPLETE").touch()
    # Nor before it is complete: an agent whose trainer has ended looks once more, and no longer.
    while not (directory / "_COMPLETE").exists():
        time.sleep(0.01)


meeting.mkdir(exist_ok=True)
print("started", flush=True)
for step in reprise.steps(0, 1_000_000):
    time.sleep(float(sys.argv[5]))
    wait_for_all(step)
    time.sleep(float(sys.argv[7]) if len(sys.argv) > 7 else 0)
    if reprise.should_save(step):
        print(f"saves {step}", flush=True)
        save(step)
        time.sleep(float(sys.argv[6]) if len(sys.argv) > 6 else 0)
        print("ends", flush=True)
