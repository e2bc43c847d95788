"""The public Python API: what `gammond` has by name."""
