"""Mermaid flowcharts as pictures: a code host draws them, a static site would show their text.

Known is what the pages of this repository use: `flowchart TB`, `name["label"]`, `subgraph name["label"]` … `end`, and
`a & b --> c & d`. Anything else is an error that names the line.
"""

import re
import subprocess

NODE = re.compile(r'(\w+)\["([^"]*)"\]')
GROUP = re.compile(r'subgraph (\w+)\["([^"]*)"\]')
EDGE = re.compile(r"([\w &]+) --> ([\w &]+)")
STYLE = ["-Gfontname=sans-serif", "-Gfontsize=11", "-Gcolor=#90a4ae", "-Gbgcolor=white", "-Nfontname=sans-serif", "-Nfontsize=11",
         "-Nshape=box", "-Nstyle=filled", "-Nfillcolor=#e8f0fe", "-Ncolor=#3367d6", "-Ecolor=#5f6368"]


def dot_of(text):
    """The same graph in graphviz's language."""
    first, *lines = [line.strip() for line in text.strip().splitlines()]
    if first not in ("flowchart TB", "flowchart LR"):
        raise ValueError(f"not a flowchart TB or LR: {first}")
    drawn = [f"digraph flowchart {{ rankdir={first.split()[1]};"]
    for line in filter(None, lines):
        if found := GROUP.fullmatch(line):
            drawn.append(f'subgraph cluster_{found[1]} {{ label="{found[2]}";')
        elif found := NODE.fullmatch(line):
            drawn.append(f'{found[1]} [label="{found[2]}"];')
        elif found := EDGE.fullmatch(line):
            sources, targets = ([name.strip() for name in side.split("&")] for side in found.groups())
            drawn += [f"{source} -> {target};" for source in sources for target in targets]
        elif line == "end":
            drawn.append("}")
        else:
            raise ValueError(f"not known in a flowchart: {line}")
    return "\n".join([*drawn, "}"])


def svg_of(text):
    """The picture, for the inside of a page (needs the Debian package graphviz)."""
    svg = subprocess.run(["dot", "-Tsvg", *STYLE], input=dot_of(text), text=True, check=True, stdout=subprocess.PIPE).stdout
    return re.sub(r"<!--.*?-->\n?", "", svg[svg.index("<svg"):], flags=re.DOTALL)
