"""Document 5, Barca: a board evaluation vector, expectiminimax with cut-offs, and choices by weight."""
