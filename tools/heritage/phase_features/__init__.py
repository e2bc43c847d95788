"""The net on phase features: it imitates a heuristic first, then learns from outcomes of games."""
