"""Document 3, Backgammon Artificial Intelligence: plays by pips, blocks and blots."""
