"""Compiled loops of this document."""
