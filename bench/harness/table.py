"""The results as a Markdown table."""

from statistics import median

from .targets import MEASURES

OURS = "cpp"


def render(results, judged):
    """results: contender -> measure -> list of values, one per repetition. Cells are medians.

    judged says whether what is to be reached was set for data of this size.
    """
    names = list(results)
    lines = [f"| | {' | '.join(names)} | to reach (ours / theirs) |", f"|---|{'---|' * len(names)}---|"]
    for measure in MEASURES:
        values = {name: median(results[name][measure.key]) for name in names if measure.key in results[name]}
        if values:
            cells = [_cell(measure, name, values) for name in names]
            lines.append(f"| {measure.text} | {' | '.join(cells)} | {_verdict(measure, values, judged)} |")
    return "\n".join(lines)


def _cell(measure, name, values):
    if name not in values:
        return "-"
    compared = measure.compared and name != OURS and OURS in values and values[name]
    return _number(values[name]) + (f" ({values[OURS] / values[name]:.2f})" if compared else "")


def _verdict(measure, values, judged):
    sign = "≥" if measure.more_is_better else "≤"
    parts = [f"{name} {sign} {limit:.2g}{_mark(measure, name, limit, values) if judged else ''}"
             for name, limit in measure.limits.items() if name in values]
    if measure.most is not None and OURS in values:
        parts.append(f"≤ {measure.most:g}" + (f": {_yes(values[OURS] <= measure.most)}" if judged else ""))
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
