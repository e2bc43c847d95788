"""`gammond serve`: its options, its configuration file, and what it serves."""
