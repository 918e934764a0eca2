#!/usr/bin/env python3
"""Launchers that end with 0 while their rank trains: `at-once`, with a shell between (`shell`), by a double fork (`twice`).

The rank computes for some seconds and ends with a code. `idle` leaves one behind that does nothing.
"""

import os
import subprocess
import sys
import time


def compute(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        sum(range(20_000))
        time.sleep(0.005)


def main():
    how, seconds, code = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    rank = [sys.executable, sys.argv[0], "rank", *sys.argv[2:]]
    if how == "rank":
        os.environ["RANK"] = "1"  # as frameworks do: no /proc/PID/environ shows it
        compute(seconds)
        os._exit(code)
    if how == "at-once":
        subprocess.Popen(rank)
    if how == "shell":
        subprocess.Popen(["sh", "-c", 'cd /; "$@"; exit $?', "sh", *rank])
        time.sleep(6)
    if how == "twice" and os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(rank[0], rank)
    if how == "idle":
        subprocess.Popen(["sleep", "1000"])
    os._exit(0)


if __name__ == "__main__":
    main()
