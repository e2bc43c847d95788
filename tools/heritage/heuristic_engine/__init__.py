"""`gammond heritage climb`: the factors of the heuristic engine, changed one at a time."""
