"""What the user is shown instead of a traceback."""


class ClusterError(Exception):
    pass
