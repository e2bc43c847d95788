"""``hard``: one of the two best plays by two plies of look-ahead, by chance and merit."""

from __future__ import annotations

from nets.heritage.barca.weighted_choice_players import make_difficulty

KIND = make_difficulty(
    "hard", "one of the two best plays by two plies of look-ahead, by chance and merit", 2, 2
)
