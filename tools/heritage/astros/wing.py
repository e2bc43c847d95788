"""What document 5 adds to other commands: a trainer, its vectors as players, a measurement."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammond.tools.common.wings import Wing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gammond.engine.play.player import Player


def _make_player(file: Path, arrays: Mapping[str, NDArray[Any]]) -> Player:
    from gammond.tools.heritage.astros.families import make_ascend_player

    return make_ascend_player(file, arrays)


WING = Wing(
    run_readers={"ascend": _make_player},
    trainers={"ascend": "gammond.tools.heritage.astros.command"},
    measure_commands={"cutoffs": "gammond.tools.heritage.astros.cutoffs"},
)
