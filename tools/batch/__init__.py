"""`gammond batch`: files of positions, judged line by line."""
