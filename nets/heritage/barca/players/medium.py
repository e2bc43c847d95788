"""``medium``: one of the three best plays at 1-ply, the better ones more often."""

from __future__ import annotations

from nets.heritage.barca.players.merit import make_difficulty

KIND = make_difficulty("medium", "one of the three best plays at 1-ply, the better ones more often", 1, 3)
