"""The net on phase features: first it imitates a heuristic, then it learns from outcomes of games."""
