"""The game itself: positions, moves, dice, matches, outcomes, bearoff, search. Knows no net and no protocol."""
