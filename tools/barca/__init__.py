"""Offline programs of Barca: games between its players, and learning the board evaluation vector."""
