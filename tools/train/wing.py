"""What training adds to other commands: nets of runs as players, and trainers."""

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
    from gammond.tools.train.weights.net_set import make_net_set_player

    return make_net_set_player(file, arrays)


def _read_nets(file: Path) -> dict[str, ExportedNet]:
    from gammond.tools.train.weights.net_set import read_exported_nets

    return read_exported_nets(file)


WING = Wing(
    run_readers=dict.fromkeys(("td", "fit", "refine"), _make_player),
    net_readers=dict.fromkeys(("td", "fit", "refine"), _read_nets),
    trainers={
        "td": "gammond.tools.train.td.command",
        "fit": "gammond.tools.train.fitting.fit",
        "refine": "gammond.tools.train.fitting.refine",
    },
)
