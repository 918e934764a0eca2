"""What becomes of a tier on real control planes or kubelets in which a class of tests has failed: it runs once more, alone.

tests/flaky.md says why, and lists every name that was ever seen.
"""
