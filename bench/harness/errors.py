class BenchError(Exception):
    """Something that ends a run; its text says what and where to look."""
