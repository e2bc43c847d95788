"""Document 5, Astros: a board evaluation vector, expectiminimax with cut-offs, and choices by weight."""
