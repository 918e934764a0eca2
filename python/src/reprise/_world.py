"""How many processes train together: they have to save at one step."""

from __future__ import annotations

import sys
from typing import Mapping, Tuple


def _number(environment: Mapping[str, str], name: str) -> int:
    text = environment.get(name, "")
    return max(1, int(text)) if text.isdigit() else 1


def world(environment: Mapping[str, str]) -> Tuple[int, int]:
    """All of them, and those of this pod. torch is asked where the script has imported it, and only then."""
    pods = _number(environment, "REPRISE_PARALLELISM")
    size = max(pods, _number(environment, "WORLD_SIZE"))
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        size = max(size, distributed.get_world_size())
    return size, max(_number(environment, "LOCAL_WORLD_SIZE"), -(-size // pods))
