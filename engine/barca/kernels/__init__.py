"""Compiled loops of Barca: arrays in, arrays out, under the decorators of `gammond.engine.kernels`."""
