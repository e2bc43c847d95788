"""Everything about a position: the `Engine` facade, its results, and levels of play."""
