"""What was decided when a cluster was made: its ports, settings and tools."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass
class Description:
    ports: dict
    assignments: list
    tools: str
    complete: bool = False  # every component was ready once and every manifest applied

    def tools_path(self):
        return Path(self.tools)


def load(state):
    try:
        return Description(**json.loads(state.description.read_text()))
    except FileNotFoundError:
        return None


def save(state, description):
    temporary = state.description.with_suffix(".new")
    temporary.write_text(json.dumps(asdict(description), indent=1))
    temporary.rename(state.description)
