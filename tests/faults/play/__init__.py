"""What fault tests are made of: an API server, a proxy before it, an operator behind that."""
