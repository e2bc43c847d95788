"""The runtime: cores, worker threads and their turns, the version."""
