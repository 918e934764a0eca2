"""The order of a run: every operator on the same data, one after the other."""

import sys
import time

from .data import Data
from .loader import Loader
from .operators import Operator
from .rows import OF_VARIANTS, Bench
from .server import Server


class Session:
    def __init__(self, keys, load_binary, size, rows):
        self._keys, self._size, self._rows = keys, size, rows
        self._loader = Loader(load_binary, keys)
        self._data = Data(keys, load_binary, size)

    def measure(self, contenders, take):
        """Measures each (name, binary, variant); take(name, values) is given what was found."""
        for stage in (self._small, self._medium, self._large):
            stage(contenders, take)

    def _small(self, contenders, take):
        """No BenchJobs: memory of an idle operator, then many created at once."""
        for contender in contenders:
            rows = self._rows_of(contender) & {"memory", "throughput"}
            if rows:
                with Server(self._keys, self._data.directory(0)) as server:
                    self._on(server, contender, 0, rows, "empty", take)

    def _medium(self, contenders, take):
        """Only memory is read, nothing changes: one server for all."""
        wanting = [contender for contender in contenders if "memory" in self._rows_of(contender)]
        if self._size.medium and wanting:
            with Server(self._keys, self._data.directory(self._size.medium)) as server:
                for contender in wanting:
                    self._on(server, contender, self._size.medium, {"memory"}, "medium", take)

    def _large(self, contenders, take):
        """Trials change the data: each operator has a new server over the same."""
        for contender in contenders:
            rows = self._rows_of(contender) - {"throughput"}
            if rows:
                with Server(self._keys, self._data.directory(self._size.large)) as server:
                    self._on(server, contender, self._size.large, rows, "large", take)

    def _on(self, server, contender, jobs, rows, label, take):
        name, binary, variant = contender
        started = time.monotonic()
        with Operator(name, binary, variant, self._keys) as operator:
            bench = Bench(server, operator, self._loader, self._size)
            values = bench.cold_start(jobs)
            take(name, values if "coldstart" in rows else {})
            if "memory" in rows:
                take(name, bench.memory(label))
            for row in ("steady", "stream", "reaction", "storm", "throughput"):
                if row in rows:
                    take(name, getattr(bench, row)())
        print(f"bench: {name}, {label}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)

    def _rows_of(self, contender):
        return self._rows if contender[2] == "default" else self._rows & set(OF_VARIANTS)
