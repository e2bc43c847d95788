"""Compiled loops over positions of hypergammon."""
