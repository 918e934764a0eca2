"""Takes the signal and ends without a save."""

import sys

from correct import Trainer


class SavesNothingThen(Trainer):
    def answer(self):
        sys.exit(143)


SavesNothingThen().run()
