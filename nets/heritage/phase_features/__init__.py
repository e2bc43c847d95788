"""Document 4: features gated by the phase of the game, weighted by hand or by a net."""
