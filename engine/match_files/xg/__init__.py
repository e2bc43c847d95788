"""Files of eXtreme Gammon: their container, the records of a match in it, comments, and the reader."""
