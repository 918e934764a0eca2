"""A trainer that does all that Reprise asks of one. The scripts beside it each do one thing otherwise."""

import json
import os
import signal
import sys
import time
from pathlib import Path


class Trainer:
    steps, seconds_a_step, save_every = 200, 0.03, 50

    def __init__(self):
        self.checkpoints = Path(os.environ["REPRISE_CHECKPOINT_DIR"])
        self.step, self.weight = 0, 1.0
        self.asked = False

    def start(self):
        """What comes before the handler for SIGTERM is there: imports."""

    def handle(self):
        signal.signal(signal.SIGTERM, self.on_term)

    def on_term(self, _signal, _frame):
        self.asked = True

    def prepare(self):
        """What comes between the handler and the first step."""

    def newest(self):
        """The checkpoint to load; None: begin anew."""
        named = os.environ.get("REPRISE_RESUME_FROM")
        return Path(named) if named else None

    def load(self, directory):
        state = json.loads((directory / "state.json").read_text())
        self.step, self.weight = state["step"], state["weight"]

    def name(self):
        return f"step-{self.step}"

    def save(self):
        directory = self.checkpoints / self.name()
        directory.mkdir(parents=True, exist_ok=True)
        self.write(directory)
        (directory / "_COMPLETE").touch()

    def write(self, directory):
        (directory / "state.json").write_text(json.dumps({"step": self.step, "weight": self.weight}))

    def train(self):
        time.sleep(self.seconds_a_step)
        self.step, self.weight = self.step + 1, self.weight * 0.99

    def tell(self):
        print(f"step {self.step} weight {self.weight:.6f}", flush=True)

    def answer(self):
        """To a notice."""
        self.save()
        sys.exit(143)

    def run(self):
        self.start()
        self.handle()
        self.prepare()
        if directory := self.newest():
            self.load(directory)
        while self.step < self.steps:
            self.train()
            self.tell()
            if self.step % self.save_every == 0:
                self.save()
            if self.asked:
                self.answer()
        self.save()


if __name__ == "__main__":
    Trainer().run()
