"""The parts of bench/operator/run."""
