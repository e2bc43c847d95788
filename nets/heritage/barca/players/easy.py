"""``easy``: one of the five best plays at one look, by chance and merit."""

from __future__ import annotations

from nets.heritage.barca.weighted_choice_players import make_difficulty

KIND = make_difficulty("easy", "one of the five best plays at one look, by chance and merit", 0, 5)
