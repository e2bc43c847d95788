"""What document 3 adds to other commands: a trainer, and its configurations as players."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gammond.tools.common.wings import Wing

if TYPE_CHECKING:
    from gammond.engine.play.player import Player


def _load_player(file: Path) -> Player:
    from gammond.tools.heritage.heuristic_engine.command import load_climb_player

    return load_climb_player(file)


WING = Wing(
    file_readers={".jsonl": _load_player},
    trainers={"climb": "gammond.tools.heritage.heuristic_engine.command"},
)
