"""Gradient ascent on the weights of players without nets, by matches against players a little different."""
