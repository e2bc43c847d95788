"""Languages over one session: lines, JSON queries, and the external-player dialect of GNU Backgammon."""
