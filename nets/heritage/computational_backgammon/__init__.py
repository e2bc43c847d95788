"""Document 2, the diary of Computational Backgammon: nets as in the first years of TD-Gammon."""
