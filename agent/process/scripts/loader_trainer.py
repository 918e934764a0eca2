#!/usr/bin/env python3
"""A trainer with helper processes, as PyTorch's DataLoader has them: without them it cannot save.

Trains until it is signalled to stop, saves step-1 with the help of its workers and exits. Whatever disturbs the save makes it
fail: a worker that is gone, an output that nobody reads any more, being signalled twice.
"""

import argparse
import multiprocessing
import os
import pathlib
import signal
import sys
import time

BATCHES = 20


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("volume", type=pathlib.Path)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--signal", default="SIGTERM", help="the one that it saves on; none: it handles no signal")
    parser.add_argument("--workers-handle", action="store_true", help="as PyTorch's own handler in its workers")
    parser.add_argument("--exit-code", type=int, default=143)
    return parser.parse_args()


def serve(requests, answers, handle):
    signal.signal(signal.SIGTERM, (lambda *_: os._exit(1)) if handle else signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    answers.put(-1)
    for request in iter(requests.get, None):
        time.sleep(0.02)
        answers.put(request)


class Loader:
    """Workers that are asked for batches."""

    def __init__(self, count, handle):
        self.requests, self.answers = multiprocessing.SimpleQueue(), multiprocessing.SimpleQueue()
        self.workers = [
            multiprocessing.Process(target=serve, args=(self.requests, self.answers, handle)) for _ in range(count)
        ]
        for worker in self.workers:
            worker.start()
        for _ in self.workers:
            self.answers.get()

    def batch(self, number):
        self.requests.put(number)
        while self.answers.empty():
            for worker in self.workers:
                if worker.exitcode is not None:
                    raise RuntimeError(f"DataLoader worker (pid {worker.pid}) exited unexpectedly")
            time.sleep(0.001)
        return self.answers.get()

    def end(self):
        for _ in self.workers:
            self.requests.put(None)
        for worker in self.workers:
            worker.join()


def save(volume, loader):
    checkpoint = volume / "step-1"
    checkpoint.mkdir()
    with open(checkpoint / "data", "w") as data:
        for number in range(BATCHES):
            data.write(f"{loader.batch(number)}\n")
            print(f"saved batch {number}", flush=True)
    (checkpoint / "_COMPLETE").touch()


def main():
    options = parse()
    signalled = []

    def stop(number, _frame):
        signalled.append(number)
        if len(signalled) > 1:
            print("signalled twice", flush=True)
            os._exit(70)

    if options.signal != "none":
        signal.signal(getattr(signal, options.signal), stop)
    loader = Loader(options.workers, options.workers_handle)
    print("training", flush=True)
    number = 0
    while not signalled:
        number = loader.batch(number) + 1
    if (options.volume / "step-1").exists():  # a shell that starts it again and again
        sys.exit(options.exit_code)
    save(options.volume, loader)
    loader.end()
    print("saved", flush=True)
    sys.exit(options.exit_code)


if __name__ == "__main__":
    main()
