"""What document 4 adds to other commands: a trainer, and its nets as players."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammond.tools.common.wings import Wing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gammond.engine.play.player import Player
    from gammond.tools.common.wings import ExportedScorer


def _make_player(file: Path, arrays: Mapping[str, NDArray[Any]]) -> Player:
    from gammond.tools.heritage.phase_features.files import make_phase_net_player

    return make_phase_net_player(file, arrays)


def _read_net(file: Path) -> ExportedScorer:
    from gammond.tools.heritage.phase_features.files import read_exported_net

    return read_exported_net(file)


WING = Wing(
    run_readers={"heuristic-net": _make_player},
    net_readers={"heuristic-net": _read_net},
    trainers={"heuristic-net": "gammond.tools.heritage.phase_features.command"},
)
