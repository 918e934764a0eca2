"""Needs seconds for a save, which is much at twenty times the speed and little of the grace."""

import time

from correct import Trainer


class SavesSlowly(Trainer):
    steps, save_every = 120, 1000

    def write(self, directory):
        super().write(directory)
        time.sleep(7)


SavesSlowly().run()
