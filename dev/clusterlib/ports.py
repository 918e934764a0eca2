"""Free loopback ports."""

import random
import socket

# Below the range from which the kernel takes the source ports of outgoing connections
# (32768 and up), so that a port that is free now is not lost to a client a moment later.
_FIRST, _LAST = 20000, 32000


def free_ports(names):
    """A free port for each name. Another process may still take one before it is used."""
    sockets, ports = [], {}
    try:
        for name in names:
            held = _bind_any()
            sockets.append(held)
            ports[name] = held.getsockname()[1]
    finally:
        for held in sockets:
            held.close()
    return ports


def _bind_any():
    for port in random.sample(range(_FIRST, _LAST), 200):
        candidate = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            candidate.bind(("127.0.0.1", port))
            return candidate
        except OSError:
            candidate.close()
    raise OSError(f"no free port found between {_FIRST} and {_LAST}")
