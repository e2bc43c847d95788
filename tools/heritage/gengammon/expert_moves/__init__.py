"""Expert moves: what they are, and how they come out of files of matches."""
