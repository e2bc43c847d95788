"""Players and deciders, games in lockstep, and games with the cube."""
