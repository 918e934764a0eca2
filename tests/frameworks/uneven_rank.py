"""A rank below a launcher: computes until it is signalled, saves for its number of seconds, ends with its code.

While it saves it asks torchrun's store, where there is one, and prints: what a launcher that stood still would not answer, and not
read."""

import os
import signal
import sys
import time
from pathlib import Path

WARM = 6  # seconds: by then the agent knows who computes


def store():
    if "TORCHELASTIC_RUN_ID" not in os.environ:
        return None
    import datetime

    import torch.distributed

    return torch.distributed.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False,
                                      timeout=datetime.timedelta(seconds=5))


def main():
    rank = int(os.environ.get("RANK", os.environ.get("OMPI_COMM_WORLD_RANK", "0")))
    place = Path(os.environ["REPRISE_CHECKPOINT_DIR"]) / f"rank{rank}"
    place.mkdir(exist_ok=True)
    told = []
    signal.signal(signal.SIGTERM, lambda *_: told.append(time.monotonic()))
    shared = store()
    began = time.monotonic()
    while not told:
        sum(range(20_000))
        time.sleep(0.005)
        if time.monotonic() > began + WARM:
            (place / "warm").touch()
    until = time.monotonic() + float(os.environ["SAVES"].split(",")[rank])
    checkpoint = place / "step-1"
    checkpoint.mkdir()
    while time.monotonic() < until:
        time.sleep(0.05)
        if shared is not None:
            shared.set(f"rank{rank}", "saves")
            shared.get(f"rank{rank}")
        print(f"rank {rank} saves " + 2000 * ".", flush=True)
    if len(told) > 1:
        sys.exit(f"rank {rank} was signalled {len(told)} times")
    (checkpoint / "_COMPLETE").touch()
    sys.exit(int(os.environ["CODE"]))


if __name__ == "__main__":
    main()
