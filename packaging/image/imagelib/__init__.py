"""What `packaging/image/build` is made of: no container engine, no root, the standard library only."""
