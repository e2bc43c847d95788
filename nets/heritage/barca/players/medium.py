"""``medium``: one of the three best plays by one ply of look-ahead, by chance and merit."""

from __future__ import annotations

from nets.heritage.barca.weighted_choice_players import make_difficulty

KIND = make_difficulty(
    "medium", "one of the three best plays by one ply of look-ahead, by chance and merit", 1, 3
)
