"""Document 1, GenGammon: a net on counts of checkers that rates plays."""
