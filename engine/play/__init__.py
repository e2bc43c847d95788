"""Who plays and how games are played: players, deciders, games in lockstep, games with the cube."""
