"""What fault tests are made of: an API server, a proxy before it, an operator behind that."""

import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(_ROOT / "dev"), str(_ROOT / "tests/cluster")]
