"""Document 1: learning to choose the plays that experts chose, by evolution and by backpropagation."""
