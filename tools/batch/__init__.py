"""`gammond batch`: files of positions, evaluated line by line."""
