"""Self-play with temporal differences."""
