"""Machines with a real kubelet and containerd, made of namespaces, and what tests on them need."""
