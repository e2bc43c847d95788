"""Fitting nets to labels, once or generation by generation."""
