"""``hard``: one of the two best plays by two plies of look-ahead, by chance and merit."""

from __future__ import annotations

from nets.merit_players import difficulty

KIND = difficulty("hard", "one of the two best plays by two plies of look-ahead, by chance and merit", 2, 2)
