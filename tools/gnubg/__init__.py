"""GNU Backgammon as an opponent and a peer: its nets, its program, its records of games."""
