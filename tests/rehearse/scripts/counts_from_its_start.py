"""Prints the steps of this start alone."""

from correct import Trainer


class CountsFromItsStart(Trainer):
    done = 0

    def tell(self):
        self.done += 1
        print(f"step {self.done}", flush=True)


CountsFromItsStart().run()
