"""What document 2 adds to other commands: a trainer, and its nets as players."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammond.tools.common.wings import Wing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gammond.engine.play.player import Player
    from gammond.tools.common.wings import ExportedNet


def _make_player(file: Path, arrays: Mapping[str, NDArray[Any]]) -> Player:
    from gammond.tools.heritage.computational_backgammon.net_set import make_classic_player

    return make_classic_player(file, arrays)


def _read_nets(file: Path) -> dict[str, ExportedNet]:
    from gammond.tools.heritage.computational_backgammon.net_set import read_exported_nets

    return read_exported_nets(file)


WING = Wing(
    run_readers={"classic": _make_player},
    net_readers={"classic": _read_nets},
    trainers={"classic": "gammond.tools.heritage.computational_backgammon.command"},
)
