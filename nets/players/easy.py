"""``easy``: one of the five best plays at one look, by chance and merit."""

from __future__ import annotations

from nets.merit_players import difficulty

KIND = difficulty("easy", "one of the five best plays at one look, by chance and merit", 0, 5)
