"""Cannot read what it has saved."""

from correct import Trainer


class FailsToLoad(Trainer):
    def load(self, directory):
        raise ValueError("unexpected key(s) in state_dict")


FailsToLoad().run()
