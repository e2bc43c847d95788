"""``gammond heritage climb``: hill climbing on the factors of the heuristic engine."""
