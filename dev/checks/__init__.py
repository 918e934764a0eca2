"""What dev/selftest proves about a cluster of dev/cluster."""
