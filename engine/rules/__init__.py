"""The rules of backgammon: positions, plays, dice, matches, cube actions, outcomes and game records."""
