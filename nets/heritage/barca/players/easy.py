"""``easy``: one of the five best plays at 0-ply, the better ones more often."""

from __future__ import annotations

from nets.heritage.barca.players.merit import make_difficulty

KIND = make_difficulty("easy", "one of the five best plays at 0-ply, the better ones more often", 0, 5)
