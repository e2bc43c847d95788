"""Analysed matches as text and as HTML pages."""
