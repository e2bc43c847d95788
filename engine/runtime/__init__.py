"""What the engine runs on: cores, worker threads and their turns, the version."""
