#!/usr/bin/env python3
"""Starts one trainer and waits for it: `forward` passes SIGTERM and SIGINT on to it, as torchrun does (`session`: in a
session of its own, as newer ones do), `plain` handles no signal, as `accelerate launch` on one GPU, `group` signals
everybody below it, as GNU timeout does."""

import os
import signal
import subprocess
import sys


def main():
    how, command = sys.argv[1], sys.argv[2:]
    trainer = subprocess.Popen(command, start_new_session=how in ("session", "group"))

    def tell(number):
        if how == "group":
            os.killpg(trainer.pid, number)
        else:
            trainer.send_signal(number)

    if how != "plain":
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda received, _frame: tell(received))
    print("launched", flush=True)
    sys.exit(trainer.wait())


if __name__ == "__main__":
    main()
