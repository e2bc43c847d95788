"""A line that was typed in, lines of text out: the commands, their help and completion."""
