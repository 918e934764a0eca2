"""The measurements. Each function does one on a running operator and returns name -> value."""

import time

from . import audit
from .errors import BenchError
from .server import OPERATOR
from .usage import Meter, cpu_seconds, memory_mib

ROWS = ("memory", "coldstart", "steady", "stream", "reaction", "storm", "throughput")
# What is measured of the variants that are not the default one: what they are about.
OF_VARIANTS = ("memory", "coldstart", "stream")


class Bench:
    """One operator on one server."""

    def __init__(self, server, operator, loader, size):
        self._server, self._operator, self._loader, self._size = server, operator, loader, size
        self._requests = audit.Requests(server.audit, OPERATOR)

    def cold_start(self, jobs):
        meter = self._meter()
        synced = self._operator.await_event("synced", jobs)
        reconciled = self._operator.await_event("reconciled", jobs)
        cpu, used = cpu_seconds(self._operator.pid), meter.read()
        counts = self._requests.read()
        if audit.writes(counts):
            raise BenchError(f"{self._operator.name} wrote at a start over data that asks for nothing: {dict(counts)}")
        return {"coldstart.synced_s": synced, "coldstart.reconciled_s": reconciled,
                "coldstart.cpu_s": cpu, "coldstart.apiserver_cpu_s": used["apiserver_cpu"],
                "coldstart.requests": audit.total(counts), "coldstart.other": used["other"]}

    def memory(self, label):
        time.sleep(self._size.settle)
        resident, highest = memory_mib(self._operator.pid)
        return {f"memory.{label}_mib": resident, f"memory.{label}_peak_mib": highest}

    def steady(self):
        meter, requests = self._meter(), audit.Requests(self._server.audit, OPERATOR)
        time.sleep(self._size.steady)
        return {"steady.requests": audit.total(requests.read()), "steady.cpu_s": meter.read()["operator_cpu"]}

    def stream(self):
        size = self._size
        meter, found = self._trial("stream", size.stream_rate, size.stream_seconds, first=size.stream_first,
                                   jobs=size.large - size.stream_first)
        return {"stream.cpu_ms": 1000 * meter["operator_cpu"] / found["events"], "stream.rate": found["rate"],
                "stream.apiserver_cpu_ms": 1000 * meter["apiserver_cpu"] / found["events"], "stream.other": meter["other"]}

    def reaction(self):
        size = self._size
        used, pods = self._trial("reaction", "pods", size.reaction_pods)
        result = {"reaction.pods_other": used["other"], "reaction.pods_cpu_s": used["operator_cpu"]}
        for name in ("p50", "p99", "max"):
            result[f"reaction.pods_{name}_ms"] = pods["last"][name]
        used, nodes = self._trial("reaction", "nodes", size.reaction_nodes, first=size.nodes_first)
        result |= {"reaction.nodes_other": used["other"], "reaction.nodes_cpu_s": used["operator_cpu"]}
        for which in ("first", "last"):
            for name in ("p50", "p99", "max"):
                result[f"reaction.nodes_{which}_{name}_ms"] = nodes[which][name]
        return result

    def storm(self):
        return self._written("storm", self._size.storm, first=self._size.storm_first)

    def throughput(self):
        return self._written("throughput", self._size.throughput)

    def _written(self, trial, count, **flags):
        requests = audit.Requests(self._server.audit, OPERATOR)
        used, found = self._trial(trial, count, **flags)
        return {f"{trial}.written_s": found["writtenSeconds"], f"{trial}.per_s": count / found["writtenSeconds"],
                f"{trial}.cpu_ms": 1000 * used["operator_cpu"] / count,
                f"{trial}.apiserver_cpu_ms": 1000 * used["apiserver_cpu"] / count,
                f"{trial}.requests": audit.total(requests.read()) / count, f"{trial}.other": used["other"]}

    def _trial(self, *arguments, **flags):
        meter = self._meter()
        found = self._loader.run(*arguments, meter=meter, **flags)
        time.sleep(1)  # what the operator still does about it belongs to it
        return meter.read(), found

    def _meter(self):
        return Meter(operator=self._operator.pid, apiserver=self._server.process("kube-apiserver"),
                     etcd=self._server.process("etcd"))
