"""The lines that dev/gate and dev/verify print."""

from .verdicts import FAILED, NOT_RUN, PASSED


def length(seconds):
    seconds = round(seconds)
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min {seconds % 60:02d} s"


def progress(done, total, names, left):
    if done == total:
        return f"-- {done} of {total} done"
    beside = f"; running: {', '.join(names)}" if names else ""
    if left is None:
        estimate = "time left: not known yet"
    else:
        estimate = f"about {max(1, round(left / 60))} min left"
    return f"-- {done} of {total} done, {estimate}{beside}"


def ended(name, outcome, seconds, said):
    lines = "".join(f"\n   {line}" for line in said.splitlines())
    return f"{outcome:<8} {name:<22} {length(seconds)}{lines}"


def state(tier, current, newest):
    """A line of --list: the verdict for the tree as it is, else when the tier last ran on another."""
    if current and current.outcome == PASSED:
        text = f"passed   {current.when}  on {current.tree}  ({length(current.seconds)})"
    elif current and current.outcome == FAILED:
        text = f"FAILED   {current.when}  on {current.tree}"
    elif current and current.outcome == NOT_RUN:
        text = f"NOT RUN  {current.when}  {current.said}"
    else:
        text = "not yet" + (f"; last {newest.outcome} {newest.when} on {newest.tree}" if newest else "")
    return f"{tier.name:<22} {text}" + (f"\n{'':<22} {current.said}" if current and current.outcome == PASSED and current.said else "")
