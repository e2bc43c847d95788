"""The seams between the engine and evaluators: outcomes for positions, scores for plays, pruning of plays."""
