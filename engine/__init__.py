"""The game itself: positions, moves, dice, matches, outcomes, bearoff. Knows no net and no protocol."""
