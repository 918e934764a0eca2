"""Saves on the notice into its last complete checkpoint, and does not get to the end of it."""

import sys

from correct import Trainer


class TearsWhatWasComplete(Trainer):
    save_every = 1

    def answer(self):
        directory = self.checkpoints / self.name()
        (directory / "_COMPLETE").unlink()
        self.write(directory)
        sys.exit(143)


TearsWhatWasComplete().run()
