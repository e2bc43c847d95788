"""GNU Backgammon beside gammond: its nets, its program, its records of games."""
