#!/usr/bin/env python3
"""A trainer with helper processes, as PyTorch's DataLoader has them: without them it cannot save.

Trains until it is signalled to stop, saves step-1 with the help of its workers and exits. Whatever disturbs the save makes it
fail: a worker that is gone, an output that nobody reads any more, being signalled twice.
"""

import argparse
import ctypes
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
    parser.add_argument("--saves-again", action="store_true", help="in a second life too, as step-0")
    parser.add_argument("--burn", type=float, default=0, help="seconds that it computes before it says that it is warm")
    parser.add_argument("--ranks", type=int, default=0, help="by multiprocessing, as torch.multiprocessing.spawn has them")
    parser.add_argument("--parent-handles", action="store_true", help="and does nothing then")
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


def save(checkpoint, loader):
    checkpoint.mkdir()
    with open(checkpoint / "data", "w") as data:
        for number in range(BATCHES):
            data.write(f"{loader.batch(number)}\n")
            print(f"saved batch {number}", flush=True)
    (checkpoint / "_COMPLETE").touch()


def burn(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        sum(range(1000))


def die_with_parent(parent):
    """As torch.multiprocessing.spawn asks the kernel for: PR_SET_PDEATHSIG of prctl(2)."""
    ctypes.CDLL(None).prctl(1, signal.SIGINT)
    if os.getppid() != parent:
        sys.exit(1)


def rank(number, parent, options):
    die_with_parent(parent)
    options.volume = options.volume / f"rank{number}"
    options.volume.mkdir(exist_ok=True)
    train(options)


def start_ranks(options):
    if options.parent_handles:
        signal.signal(signal.SIGTERM, lambda *_: None)
    spawn = multiprocessing.get_context("spawn")
    ranks = [spawn.Process(target=rank, args=(number, os.getpid(), options)) for number in range(options.ranks)]
    for each in ranks:
        each.start()
    for each in ranks:
        each.join()
    sys.exit(max(each.exitcode for each in ranks))


def train(options):
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
    began = time.monotonic()
    warm = not options.burn
    while not signalled:
        number = loader.batch(number) + 1
        if options.burn:
            burn(0.02)
        if not warm and time.monotonic() > began + options.burn:
            warm = True
            (options.volume / "warm").touch()
    again = (options.volume / "step-1").exists()  # a shell that starts it again and again
    if again and not options.saves_again:
        sys.exit(options.exit_code)
    save(options.volume / ("step-0" if again else "step-1"), loader)
    loader.end()
    print("saved", flush=True)
    sys.exit(options.exit_code)


def main():
    options = parse()
    if options.ranks:
        start_ranks(options)
    train(options)


if __name__ == "__main__":
    main()
