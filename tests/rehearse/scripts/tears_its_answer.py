"""A periodic save is complete within the notice; what it saves in answer to it never is."""

import sys

from correct import Trainer


class TearsItsAnswer(Trainer):
    def answer(self):
        self.save()
        self.train()
        directory = self.checkpoints / self.name()
        directory.mkdir()
        self.write(directory)
        sys.exit(143)


TearsItsAnswer().run()
