"""The results as a Markdown table."""

from statistics import median

from .targets import MEASURES

OURS = "cpp"


def render(results):
    """results: contender -> measure -> list of values, one per repetition. Cells are medians."""
    names = list(results)
    lines = [f"| | {' | '.join(names)} | to reach (ours / theirs) |", f"|---|{'---|' * len(names)}---|"]
    for measure in MEASURES:
        values = {name: median(results[name][measure.key]) for name in names if measure.key in results[name]}
        if values:
            cells = [_cell(name, values) for name in names]
            lines.append(f"| {measure.text} | {' | '.join(cells)} | {_verdict(measure, values)} |")
    return "\n".join(lines)


def _cell(name, values):
    if name not in values:
        return "-"
    ratio = _ratio(name, values)
    return _number(values[name]) + (f" ({ratio:.2f})" if ratio is not None and name != OURS else "")


def _ratio(name, values):
    """Ours divided by theirs."""
    if OURS not in values or name not in values or not values[name]:
        return None
    return values[OURS] / values[name]


def _verdict(measure, values):
    sign = "≥" if measure.more_is_better else "≤"
    parts = [f"{name} {sign} {limit:.2g}{_mark(measure, name, limit, values)}"
             for name, limit in measure.limits.items() if name in values]
    if measure.most is not None and OURS in values:
        parts.append(f"≤ {measure.most:g}: {_yes(values[OURS] <= measure.most)}")
    return ", ".join(parts)


def _mark(measure, name, limit, values):
    if OURS not in values:
        return ""
    ours, bound = values[OURS], limit * values[name]
    return f": {_yes(ours >= bound if measure.more_is_better else ours <= bound)}"


def _yes(reached):
    return "yes" if reached else "**no**"


def _number(value):
    if value == int(value):
        return f"{value:.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
