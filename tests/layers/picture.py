"""The layers as a flowchart in Mermaid, drawn from the table of who may use whom.

A folder below one of the top is drawn as that, but for those of the runtime and the programs; what tests share is not
drawn. An arrow that other arrows lead along anyway is left out.
"""

APART = ("runtime", "apps")  # whose folders are boxes of their own


def box(folder):
    top = folder.split("/")[0]
    return "/".join(folder.split("/")[:2]) if top in APART else top


def arrows(may_use):
    """{box: boxes that it points at}. Who may use one of APART as a whole points at each box in it."""
    folders = [folder for folder in may_use if "testing" not in folder.split("/")]
    found = {box(folder): set() for folder in folders}
    for folder in folders:
        for other in may_use[folder]:
            found[box(folder)].update(one for one in found if one == box(other) or one.startswith(box(other) + "/"))
    return {one: below - {one} for one, below in found.items()}


def reachable(found, start):
    seen, left = set(), list(found.get(start, ()))
    while left:
        here = left.pop()
        if here not in seen:
            seen.add(here)
            left.extend(found.get(here, ()))
    return seen


def reduced(found):
    """Without arrows that say what a longer way says."""
    return {one: {other for other in below
                  if not any(other in reachable(found, another) for another in below - {other})}
            for one, below in found.items()}


def picture(may_use):
    found = arrows(may_use)
    lines = ["flowchart TB"]
    for one in sorted(one for one in found if "/" not in one):
        lines.append(f"  {name(one)}[\"{one}\"]")
    for group in APART:
        lines.append(f"  subgraph {name(group)}[\"{group}\"]")
        lines.extend(f"    {name(one)}[\"{one.split('/')[1]}\"]" for one in sorted(found) if one.startswith(group + "/"))
        lines.append("  end")
    for one, below in sorted(reduced(found).items()):
        if below:
            lines.append(f"  {name(one)} --> {' & '.join(name(other) for other in sorted(below))}")
    return "\n".join(lines) + "\n"


def name(folder):
    return folder.replace("/", "_").replace("-", "_")
