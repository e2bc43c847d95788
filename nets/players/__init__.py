"""Player kinds, a module each: its ``KIND`` has the name, the options and the way to make the player.

The name of a module is that of the player, with ``_`` for ``-``; `nets.player_kinds` finds them.
"""
