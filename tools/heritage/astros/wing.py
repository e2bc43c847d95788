"""What document 5 adds to other commands: a trainer, its vectors as players, a measurement."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammond.tools.common.wings import Wing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gammond.engine.play.player import Player
    from gammond.tools.train.runs.trainer import Trainer


def _make_player(file: Path, arrays: Mapping[str, NDArray[Any]]) -> Player:
    from gammond.tools.heritage.astros.runs import make_ascend_player

    return make_ascend_player(file, arrays)


def _load_ascend() -> Trainer[Any]:
    from gammond.tools.heritage.astros.command import TRAINER

    return TRAINER


WING = Wing(
    run_readers={"ascend": _make_player},
    trainers={"ascend": _load_ascend},
    measure_commands={"cutoffs": "gammond.tools.heritage.astros.cutoffs"},
)
