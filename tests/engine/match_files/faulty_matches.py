"""Matches with faults that people's files have: illegal plays, gaps, results of no cube."""

ILLEGAL = """ 5 point match

 Game 1
 ann : 0                              bob : 0
  1) 31: 8/5 6/5                      64: 24/14
  2) 52: 13/8 24/22                   21: 14/10
  3) 43: 13/6                         65: 24/13
  4)  Doubles => 2                     Takes
  5) 61: 13/7 8/7                     21: 13/10
      Wins 2 points

 Game 2
 ann : 2                              bob : 0
  1)                                  42: 8/4 6/4
  2)  Doubles => 2                     Drops
      Wins 1 point
"""
"""14/10 is no play of 21."""

CUT = """ 9 point match

 Game 1
 ann : 0                              bob : 0
  1) 31: 8/5 6/5                      64: 24/14
  2) 52: 13/8
                                      Wins 1 point

 Game 2
 ann : 0                              bob : 1
  1) 31: 8/5 6/5                      64: 24/14
  2) 52: 12/9 7/5
                                      Wins 1 point
"""
"""Half a play ends the first game, and one that cannot be carried out the second one."""

GAP = """ 15 point match

 Game 1
 ann : 0                              bob : 0
  1) 31: 8/5 6/5                      64: 24/14
  2) 11: Illegal play (15;0;1;0;0;bob;ann;0;0;0;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-4;5;1;-1;0;-2;0;-4;-2;0;0;0;1;\
0;2;1;) 21: 14/11
  3)  Doubles => 2                     Drops
      Wins 1 point
"""
"""A position stands in the place of a play."""

WRONG_RESULT = """ 7 point match

 Game 1
 ann : 0                               bob: 0
  1)                                   43: 24/21 13/9
  2) 63: 24/18 13/10                   42: 8/4 6/4
  3) 53: ????                          Wins 4 point

 Game 2
 ann : 0                              bob : 4
  1)                                  42: 8/4 6/4
  2)  Doubles => 2                     Drops
      Wins 1 point
"""
"""Four points, at a cube of 1."""

UNFINISHED = """ 5 point match

 Game 1
 ann : 0                              bob : 0
  1) 31: 8/5 6/5                      64: 24/14
"""
"""The last game has no end, which is no fault."""

DOUBLED_OUT_OF_TURN = """ 9 point match

 Game 1
 ann : 0                              bob : 0
  1) 31: 8/5 6/5                      64: 24/14
  2)  Doubles => 2                     Takes
  3) 52: 13/8 24/22                   21: 14/11
  4)  Doubles => 4                     Takes
  5) 52: 13/8 22/20                   61: 13/6
  6)  Doubles => 8                    Drops
      Wins 4 points
"""
"""Who does not own the cube doubles."""

TURN_MISSING = """ 9 point match

 Game 1
 ann : 0                              bob : 0
  1) 31: 8/5 6/5                      64: 24/14
  2) 52: 13/8 24/22                   41: 13/9 24/23
  3)  Doubles => 2                     Takes
  4) 52: 13/8 22/20                   61: 13/6
  5)                                   Doubles => 4
  6)  Drops
                                      Wins 2 points
"""
"""A turn of ann is missing."""

PLAY_MISSING = """ 9 point match

 Game 1
 ann : 0                              bob : 0
  1) 31: 8/5 6/5                      64: 24/14
  2)                                   41: 13/9 24/23
  3) 52: 13/8 22/20                   61: 13/6
  4)  Doubles => 2                     Drops
      Wins 1 point
"""
"""A play of ann is missing, by which she came to her 22 point."""
