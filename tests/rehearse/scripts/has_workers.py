"""Has worker processes that hand it data, as data loaders have."""

import multiprocessing

from correct import Trainer


def work(queue):
    for number in range(1_000_000):
        queue.put(number)


class HasWorkers(Trainer):
    def start(self):
        self.queue = multiprocessing.Queue(4)
        for _ in range(4):
            multiprocessing.Process(target=work, args=(self.queue,), daemon=True).start()

    def train(self):
        self.queue.get(timeout=5)
        super().train()


HasWorkers().run()
