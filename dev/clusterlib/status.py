"""What runs, what is ready, and why something does not."""

from . import description, health, processes
from .settings import Settings


def report(state):
    """(text, everything well)"""
    known = description.load(state)
    if known is None:
        return f"cluster {state.name}: not there", False
    alive = processes.running(state)
    lines, well = [], known.complete
    if not known.complete:
        lines.append("its start was not finished: run 'dev/cluster up' again")
    for name in Settings(known.assignments).components():
        if name not in alive:
            well = False
            lines.append(f"{name:<24} DEAD; the end of {state.log(name)}:")
            lines.extend(f"    {line}" for line in health.log_tail(state, name).splitlines())
            continue
        ready, seen = health.is_ready(name, known.ports)
        well = well and ready
        lines.append(f"{name:<24} {'ready' if ready else 'NOT READY (' + seen + ')':<12} "
                     f"pid {alive[name]} port {known.ports[name]}")
    return "\n".join([f"cluster {state.name}: {'running' if well else 'NOT WELL'}", *lines]), well
