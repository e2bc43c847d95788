"""Expert moves, and their extraction from match files."""
