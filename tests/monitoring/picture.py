"""The dashboard's panels as an SVG, from the results of their queries. Written by tests/monitoring/run --picture."""

import re
from html import escape

WIDTH, HEIGHT, COLUMNS, GAP = 400, 230, 3, 14
LEFT, TOP, BOTTOM = 46, 30, 58
COLOURS = ("#3b6fb6", "#d9822b", "#3d8b57", "#b3413b", "#7a5ea8", "#8a6d3b", "#c45f9f", "#6b6b6b", "#a3a332", "#2aa0a8")


def number(value, unit):
    if unit == "percentunit":
        return f"{100 * value:.0f} %"
    if unit == "s":
        return f"{value / 60:.0f} min" if value >= 120 else f"{value:.0f} s"
    text = f"{value:.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"
    return f"${text}" if unit == "currencyUSD" else text


def name(target, labels):
    return re.sub(r"\{\{(\w+)\}\}", lambda m: labels.get(m[1]) or "no pool", target["legendFormat"])


def lines(queries):
    """(name, points) of what is not 0 all the time, or of the first when all is."""
    found = [(name(target, labels), points) for target, series in queries for labels, points in series]
    alive = [each for each in found if any(value for _, value in each[1])]
    return (alive or found[:1])[:len(COLOURS)]


def gap(points, before, at, step):
    """Whether a value is missing between two times."""
    inside = [t for t, _ in points if before <= t <= at]
    return any(later - earlier > step for earlier, later in zip(inside, inside[1:]))


def path(points, x, y, step=900):
    """Gaps stay gaps."""
    text, before = "", None
    kept = [each for i, each in enumerate(points) if not 0 < i < len(points) - 1 or
            not points[i - 1][1] == each[1] == points[i + 1][1] or points[i + 1][0] - points[i - 1][0] > step]
    for at, value in kept:
        text += f"{'M' if before is None or gap(points, before, at, step) else 'L'}{x(at):.1f} {y(value):.1f}"
        before = at
    return text


def panel_svg(panel, queries, begin, end):
    unit = panel["fieldConfig"]["defaults"]["unit"]
    shown = lines(queries)
    most = max((value for _, points in shown for _, value in points), default=0) or 1
    right, low = WIDTH - 12, HEIGHT - BOTTOM
    x = lambda at: LEFT + (at - begin) / (end - begin) * (right - LEFT)
    y = lambda value: low - max(value, 0) / most * (low - TOP)
    out = [f'<rect width="{WIDTH}" height="{HEIGHT}" rx="4" fill="#fff" stroke="#d5d8dc"/>',
           f'<text x="12" y="19" font-weight="600">{escape(panel["title"])}</text>']
    for part in (0, 0.5, 1):
        at = low - part * (low - TOP)
        out.append(f'<path d="M{LEFT} {at:.1f}H{right}" stroke="#e8eaed"/>'
                   f'<text x="{LEFT - 5}" y="{at + 4:.1f}" text-anchor="end" class="s">{number(part * most, unit)}</text>')
    for hour in range(0, int((end - begin) / 3600) + 1, 6):
        out.append(f'<text x="{x(begin + hour * 3600):.1f}" y="{low + 13}" text-anchor="middle" class="s">{hour} h</text>')
    column = 12
    row = low + 28
    for (title, points), colour in zip(shown, COLOURS):
        out.append(f'<path d="{path(points, x, y)}" fill="none" stroke="{colour}" stroke-width="1.4"/>')
        width = 16 + 5.6 * len(title)
        if column + width > WIDTH:
            column, row = 12, row + 12
        if row < HEIGHT - 3:
            out.append(f'<rect x="{column}" y="{row - 7}" width="8" height="8" fill="{colour}"/>'
                       f'<text x="{column + 11}" y="{row}" class="s">{escape(title)}</text>')
        column += width + 6
    return "".join(out)


def draw(results, begin, end):
    rows = (len(results) + COLUMNS - 1) // COLUMNS
    width, height = COLUMNS * (WIDTH + GAP) + GAP, rows * (HEIGHT + GAP) + GAP
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
           "<!-- Made by tests/monitoring/run (picture) from the results of the dashboard's queries. -->",
           '<style>.s{font-size:10px;fill:#555}</style>', f'<rect width="{width}" height="{height}" fill="#f4f5f7"/>']
    for index, (panel, queries) in enumerate(results.values()):
        left, top = GAP + index % COLUMNS * (WIDTH + GAP), GAP + index // COLUMNS * (HEIGHT + GAP)
        out.append(f'<g transform="translate({left} {top})">{panel_svg(panel, queries, begin, end)}</g>')
    return "\n".join(out) + "\n</svg>\n"
