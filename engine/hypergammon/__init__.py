"""Hypergammon solved: backgammon with one to three checkers a side."""
