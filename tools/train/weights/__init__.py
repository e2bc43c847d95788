"""Weights of nets in training, and the files they are read from and written to."""
