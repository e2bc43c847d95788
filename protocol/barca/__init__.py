"""Barca in a session: commands, settings, JSON queries and the talk at the terminal."""
