"""What document 1 adds to other commands: a trainer, its nets as players, pictures of its runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gammond.tools.common.wings import Wing

if TYPE_CHECKING:
    from gammond.engine.play.player import Player
    from gammond.tools.common.wings import ExportedScorer


def _load_player(file: Path) -> Player:
    from gammond.tools.heritage.gengammon.runs import load_run_player

    return load_run_player(file)


def _read_net(file: Path) -> ExportedScorer:
    from gammond.tools.heritage.gengammon.runs import read_exported_net

    return read_exported_net(file)


def _find_drawing(folders: Sequence[Path]) -> Callable[[Sequence[Path], Path], None] | None:
    from gammond.tools.heritage.gengammon.runs import draw_agreement, has_agreement

    return draw_agreement if all(map(has_agreement, folders)) else None


WING = Wing(
    file_readers={".txt": _load_player},
    net_readers={".txt": _read_net},
    trainers={"mimic": "gammond.tools.heritage.gengammon.command"},
    find_drawing=_find_drawing,
)
