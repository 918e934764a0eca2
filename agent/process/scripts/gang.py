#!/usr/bin/env python3
"""A launcher of two ranks, and the ranks: what launchers do when one of their ranks has ended.

`torchrun`: looks each 0.1 s; a code other than 0 has the others signalled, and killed 1 s later (30 s there); ends with 1.
`deepspeed`: looks each 0.1 s (1 s there); the others are signalled one after the other, and killed 1 s later (30 s there);
ends with the code. `mpirun`: waits for any; a code other than 0 has the others signalled at once and killed 1 s later; ends
with 1. `leaves`: ends with 0 after 6 s, as DeepSpeed's does whose inner launcher was killed.

All read what their ranks print by a pipe and answer them on a socket, as torchrun's store does: a rank that gets no answer
within a second does not save.
"""

import argparse
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("how")
    parser.add_argument("volume", type=pathlib.Path)
    parser.add_argument("--burn", type=float, default=7, help="seconds that ranks compute before they say that they are warm")
    parser.add_argument("--saves", default="0.1,3", help="seconds of each rank")
    parser.add_argument("--codes", default="143,143", help="that ranks end with after a save")
    parser.add_argument("--ends", default="", help="code with which the last rank ends by itself once it is warm")
    parser.add_argument("--store", type=int, help="of a rank: the port of the launcher's store")
    return parser.parse_args()


class Rank:
    """Computes until it is signalled, then saves for some seconds."""

    def __init__(self, options):
        self.number = int(os.environ["RANK"])
        self.options = options
        self.signalled = 0
        self.place = options.volume / f"rank{self.number}"

    def of_mine(self, values):
        return values.split(",")[self.number]

    def stop(self, _number, _frame):
        self.signalled += 1
        if self.signalled > 1:
            print("signalled twice", flush=True)
            os._exit(70)

    def ask_store(self):
        with socket.create_connection(("127.0.0.1", self.options.store), timeout=1) as store:
            store.sendall(b"?")
            return store.recv(1) == b"!"

    def save(self):
        until = time.monotonic() + float(self.of_mine(self.options.saves))
        checkpoint = self.place / "step-1"
        checkpoint.mkdir()
        with open(checkpoint / "data", "w") as data:
            while time.monotonic() < until:
                if not self.ask_store():
                    os._exit(71)
                print("saves " + 4000 * "x", flush=True)
                data.write("x")
                time.sleep(0.02)
        (checkpoint / "_COMPLETE").touch()

    def run(self):
        signal.signal(signal.SIGTERM, self.stop)
        self.place.mkdir(exist_ok=True)
        print("training", flush=True)
        warm_at = time.monotonic() + self.options.burn
        warm = False
        while not self.signalled:
            sum(range(20_000))
            time.sleep(0.005)  # a share of a core is enough to be seen
            if not warm and time.monotonic() > warm_at:
                warm = True
                (self.place / "warm").touch()
                if self.options.ends and self.number == 1:
                    sys.exit(int(self.options.ends))
        self.save()
        sys.exit(int(self.of_mine(self.options.codes)))


def serve(server):
    while True:
        connection, _ = server.accept()
        with connection:
            connection.recv(1)
            connection.sendall(b"!")


class Launcher:
    """Starts two ranks and ends all when one has ended."""

    def __init__(self, options):
        self.options = options
        server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=serve, args=(server,), daemon=True).start()
        words = [*sys.argv, "--store", str(server.getsockname()[1])]
        self.ranks = [
            subprocess.Popen([sys.executable, *words], env={**os.environ, "RANK": str(number)}, start_new_session=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
            for number in range(2)
        ]
        for rank in self.ranks:
            threading.Thread(target=self.read, args=(rank,), daemon=True).start()
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(self.end(143)))

    @staticmethod
    def read(rank):
        for line in rank.stdout:
            os.write(1, line[:60].rstrip() + b"\n")

    def end(self, code):
        for rank in self.ranks:
            if rank.poll() is not None:
                continue
            rank.terminate()
            if self.options.how == "deepspeed":
                self.wait_or_kill(rank)
        for rank in self.ranks:
            self.wait_or_kill(rank)
        return code

    @staticmethod
    def wait_or_kill(rank):
        try:
            rank.wait(1)
        except subprocess.TimeoutExpired:
            rank.kill()
            rank.wait()

    def run(self):
        if self.options.how == "leaves":
            time.sleep(6)
            os._exit(0)
        while True:
            codes = [rank.poll() for rank in self.ranks]
            if any(codes):
                code = next(code for code in codes if code)
                return self.end(code % 256 if self.options.how == "deepspeed" else 1)
            if all(code == 0 for code in codes):
                return 0
            time.sleep(0.02 if self.options.how == "mpirun" else 0.1)


def main():
    options = parse()
    if options.store:
        Rank(options).run()
    sys.exit(Launcher(options).run())


if __name__ == "__main__":
    main()
