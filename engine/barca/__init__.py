"""Barca, the board game of Andrew Caldwell: positions, legal moves, games, text, perft.

It shares nothing with backgammon but the errors, the options, what runs beside the engine, and the compiler.
"""
