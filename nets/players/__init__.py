"""Kinds of players, a module each: its ``KIND`` says what it is called, its options, and how it is made.

A module's name is the player's, with ``_`` for ``-``; `nets.player_kinds` finds all that lie here. What takes
more than a few lines lies elsewhere in `nets`, and the module here hands it on.
"""
