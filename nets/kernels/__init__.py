"""Compiled loops of the judges: encoders and sparse first layers."""
