"""Names checkpoints by epochs and prints the steps of each."""

import sys

from correct import Trainer


class CountsByEpochs(Trainer):
    """A step is an epoch of ten."""

    steps, seconds_a_step, save_every = 25, 0.3, 1

    def tell(self):
        for step in range(1, 11):
            print(f"epoch {self.step} step {step}", flush=True)

    def name(self):
        return f"epoch-{self.step}"

    def answer(self):
        sys.exit(143)  # it has just saved


CountsByEpochs().run()
