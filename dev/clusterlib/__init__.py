"""A real Kubernetes control plane on loopback: see dev/README.md."""
