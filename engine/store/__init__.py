"""Kept analyses: a file of what was searched, so that the next answer takes no search."""
