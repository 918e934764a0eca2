"""Looks for the newest checkpoint itself, and takes "step-91" for newer than "step-114"."""

from correct import Trainer


class LoadsByText(Trainer):
    steps, save_every = 400, 1000

    def newest(self):
        names = sorted(each.name for each in self.checkpoints.glob("step-*"))
        return self.checkpoints / names[-1] if names else None


LoadsByText().run()
