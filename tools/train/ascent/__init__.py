"""Gradient ascent on a vector of weights by matches, in any game."""
