"""Ignores SIGTERM and trains on."""

import signal

from correct import Trainer


class Ignores(Trainer):
    steps = 100_000

    def handle(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


Ignores().run()
