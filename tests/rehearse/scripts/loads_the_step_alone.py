"""Goes on from the step it is given, with fresh weights."""

from correct import Trainer


class LoadsTheStepAlone(Trainer):
    steps = 150

    def load(self, directory):
        super().load(directory)
        self.weight = 1.0


LoadsTheStepAlone().run()
