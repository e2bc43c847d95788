"""``medium``: one of the three best plays by one ply of look-ahead, by chance and merit."""

from __future__ import annotations

from nets.merit_players import difficulty

KIND = difficulty("medium", "one of the three best plays by one ply of look-ahead, by chance and merit", 1, 3)
