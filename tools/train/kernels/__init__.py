"""Compiled loops of training: self-play with temporal differences."""
