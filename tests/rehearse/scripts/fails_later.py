"""Resumes as it should, and fails by itself long after."""

from correct import Trainer


class FailsLater(Trainer):
    def train(self):
        super().train()
        if self.step == 120:
            raise ValueError("loss is nan")


FailsLater().run()
