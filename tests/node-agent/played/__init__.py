"""Metadata services that answer as the clouds document it, and an API server with one Node."""
