"""``hard``: one of the two best plays at 2-ply, the better ones more often."""

from __future__ import annotations

from nets.heritage.barca.players.merit import make_difficulty

KIND = make_difficulty("hard", "one of the two best plays at 2-ply, the better ones more often", 2, 2)
