"""``gammond hypergammon``."""
