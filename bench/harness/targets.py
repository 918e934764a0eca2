"""What is shown, and what our own operator is meant to reach against the others."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Measure:
    key: str
    text: str
    more_is_better: bool = False
    limits: dict = field(default_factory=dict)  # contender -> ours divided by theirs, at most
    most: float | None = None  # in the measure's own unit
    compared: bool = True  # False: it describes the circumstances


_AHEAD = {"rust": 1.0, "rust/stripped": 1.0, "rust/slim": 1.0}
_MEMORY = {"go": 0.1, "go/slim": 0.2, **_AHEAD}
_FIFTH = {"go": 0.2, **_AHEAD}
_THIRD = {"go": 1 / 3, **_AHEAD}
_LESS = {"go": 1.0, **_AHEAD}

# "other" is the share of all cores that processes took which are not part of the run.
MEASURES = (
    Measure("memory.empty_mib", "RSS, no pods, MiB", limits=_LESS),
    Measure("memory.medium_mib", "RSS, a third of the pods, MiB", limits=_MEMORY),
    Measure("memory.large_mib", "RSS, all pods, MiB", limits=_MEMORY, most=45),
    Measure("memory.large_peak_mib", "highest RSS, all pods, MiB", limits=_LESS),
    Measure("coldstart.synced_s", "cold start: caches filled, s", limits=_AHEAD),
    Measure("coldstart.reconciled_s", "cold start: all reconciled, s", limits=_AHEAD),
    Measure("coldstart.cpu_s", "cold start: CPU, s", limits=_FIFTH),
    Measure("coldstart.apiserver_cpu_s", "cold start: API server's CPU, s", limits=_AHEAD),
    Measure("coldstart.requests", "cold start: requests", limits=_LESS),
    Measure("coldstart.other", "cold start: other", compared=False),
    Measure("steady.requests", "at rest: requests", limits=_LESS),
    Measure("steady.cpu_s", "at rest: CPU, s"),
    Measure("stream.cpu_ms", "stream: CPU per event, ms", limits=_FIFTH),
    Measure("stream.rate", "stream: events/s reached", compared=False),
    Measure("stream.other", "stream: other", compared=False),
    Measure("throughput.per_s", "created at once: objects/s", True, {"rust": 1.0}),
    Measure("throughput.cpu_ms", "created at once: CPU per object, ms", limits=_THIRD),
    Measure("throughput.apiserver_cpu_ms", "created at once: API server's CPU per object, ms"),
    Measure("throughput.requests", "created at once: requests per object", limits=_LESS),
    Measure("throughput.other", "created at once: other", compared=False),
    Measure("reaction.pods_p50_ms", "pod interrupted to Job, p50, ms", limits=_LESS),
    Measure("reaction.pods_p99_ms", "pod interrupted to Job, p99, ms", limits=_LESS),
    Measure("reaction.pods_max_ms", "pod interrupted to Job, max, ms"),
    Measure("reaction.pods_other", "pod interrupted: other", compared=False),
    Measure("reaction.nodes_first_p50_ms", "node tainted to first status, p50, ms", limits=_LESS),
    Measure("reaction.nodes_first_p99_ms", "node tainted to first status, p99, ms", limits=_LESS),
    Measure("reaction.nodes_last_p50_ms", "node tainted to last status, p50, ms", limits=_LESS),
    Measure("reaction.nodes_last_p99_ms", "node tainted to last status, p99, ms", limits=_LESS),
    Measure("reaction.nodes_other", "node tainted: other", compared=False),
    Measure("storm.written_s", "interrupted at once: all written, s", limits={"rust": 1.0}),
    Measure("storm.cpu_ms", "interrupted at once: CPU per object, ms", limits=_THIRD),
    Measure("storm.apiserver_cpu_ms", "interrupted at once: API server's CPU per object, ms"),
    Measure("storm.requests", "interrupted at once: requests per object", limits=_LESS),
    Measure("storm.other", "interrupted at once: other", compared=False),
)
