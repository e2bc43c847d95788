"""Match files: the model of a match, readers that fill it, and writers."""
