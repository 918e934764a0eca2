"""Needs longer for a save than the grace is."""

import time

from correct import Trainer


class SavesTooLong(Trainer):
    save_every = 1000

    def write(self, directory):
        super().write(directory)
        time.sleep(60)


SavesTooLong().run()
