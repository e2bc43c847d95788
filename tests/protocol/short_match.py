"""A short match of backgammon in the form of ``.mat``: plays, a double that is taken, and a drop."""

MATCH = """ 5 point match

 Game 1
 Ann : 0                               Bob : 0
  1) 31: 8/5 6/5                       65: 24/13
  2)  Doubles => 2                      Takes
  3) 42: 8/4 6/4                       63: 24/18 13/10
  4) 51: 13/8 6/5                       Drops
      Wins 2 points
"""
