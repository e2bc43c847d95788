"""Measurements: levels, pruning, cut-offs, cube efficiencies, strength against speed."""
