"""Saves from time to time and has no handler for SIGTERM."""

from correct import Trainer


class HandlesNothing(Trainer):
    def handle(self):
        pass


HandlesNothing().run()
