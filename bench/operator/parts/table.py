"""The results as Markdown tables."""

_TRIAL = (("exist_p50_ms", "pods exist, p50, ms"), ("exist_p99_ms", "pods exist, p99, ms"), ("exist_max_ms", "pods exist, max, ms"),
          ("run_p50_ms", "pods run, p50, ms"), ("seconds", "all of them, s"), ("cpu_ms", "operator's CPU each, ms"),
          ("with_helpers_cpu_ms", "with what helps it, CPU each, ms"), ("apiserver_cpu_ms", "API server's CPU each, ms"),
          ("etcd_cpu_ms", "etcd's CPU each, ms"), ("writes", "writes each"), ("requests", "requests each"),
          ("all_writes", "writes of everybody each"), ("other", "other"))
_FIRST = (("memory.empty_mib", "RSS, no jobs, MiB"), ("memory.jobs_mib", "RSS, all jobs, MiB"))
_REST = (("idle.writes", "at rest: writes"), ("idle.requests", "at rest: requests"), ("idle.cpu_s", "at rest: CPU in a minute, s"),
         ("idle.apiserver_cpu_s", "at rest: API server's CPU in a minute, s"), ("idle.other", "at rest: other"),
         ("restart.cpu_s", "cold restart: CPU, s"), ("restart.wall_s", "cold restart: until at rest, s"),
         ("restart.apiserver_cpu_s", "cold restart: API server's CPU, s"), ("restart.writes", "cold restart: writes"),
         ("restart.other", "cold restart: other"), ("memory.restarted_mib", "RSS after a restart, MiB"))
_POOLS = (("pools.cpu_ms", "a pool created: operator's CPU, ms"), ("pools.writes", "a pool created: writes"),
          ("memory.pools_mib", "RSS, all pools and nodes, MiB"), ("change.cpu_ms", "a node changed: operator's CPU, ms"),
          ("change.writes", "a node changed: writes"), ("change.other", "a node changed: other"))
_LAST = (("memory.after_mib", "RSS at the end, MiB"),)


def render(results):
    """results: contender -> {"values": measure -> value, "kinds": trial -> {"verb kind": number per job}}."""
    names = list(results)
    lines = [f"| | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for key, text in _measures(results):
        cells = [_cell(key, name, results) for name in names]
        lines.append(f"| {text} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *_kinds(results)])


def _measures(results):
    known = {key for result in results.values() for key in result["values"]}
    storms = sorted({int(key.split(".")[0][5:]) for key in known if key.startswith("storm")})
    trial = lambda name, text: [(f"{name}.{key}", f"{text}: {words}") for key, words in _TRIAL]  # noqa: E731
    rows = [*_FIRST, *_POOLS, *trial("start", "start"), *_REST, *trial("one", "one interruption at a time")]
    for number in storms:
        rows += trial(f"storm{number}", f"{number} interrupted at once")
    return [row for row in [*rows, *_LAST] if row[0] in known]


def _cell(key, name, results):
    values = {contender: result["values"].get(key) for contender, result in results.items()}
    value, ours = values[name], values.get("reprise")
    if value is None:
        return "-"
    compared = name != "reprise" and ours is not None and value and not key.endswith(".other")
    return _number(value) + (f" ({ours / value:.2f})" if compared else "")


def _kinds(results):
    """Requests per job and trial, those that happen at least once in ten jobs."""
    lines = ["| requests | " + " | ".join(results) + " |", "|---|" + "---|" * len(results)]
    trials = list(dict.fromkeys(trial for result in results.values() for trial in result["kinds"]))
    for trial in trials:
        kinds = {kind for result in results.values() for kind, number in result["kinds"].get(trial, {}).items() if number >= 0.1}
        for kind in sorted(kinds):
            cells = [_number(result["kinds"].get(trial, {}).get(kind, 0)) for result in results.values()]
            lines.append(f"| {trial}: {kind} | {' | '.join(cells)} |")
    return lines


def _number(value):
    if value == int(value):
        return f"{value:.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
