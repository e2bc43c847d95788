"""What the players of a match decided, what it lost, and statistics of it."""
