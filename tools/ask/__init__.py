"""One question about one position: `gammond eval`, `hint`, `cube`, `matrix`, `board`."""
