"""What the user is told instead of a traceback."""


class ClusterError(Exception):
    pass
