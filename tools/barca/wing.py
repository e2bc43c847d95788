"""What Barca adds to other commands: its weights, trainers and tournaments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gammond.tools.common.wings import Wing

if TYPE_CHECKING:
    from gammond.tools.tournament.games import TournamentGame
    from gammond.tools.train.runs.trainer import Trainer


def _read_weights(name: str) -> str:
    from gammond.tools.barca.weights import read_run_weights

    return read_run_weights(name).to_text()


def _load_ascend() -> Trainer[Any]:
    from gammond.tools.barca.ascend import TRAINER

    return TRAINER


def _load_fit() -> Trainer[Any]:
    from gammond.tools.barca.fit import TRAINER

    return TRAINER


def _make_tournament() -> TournamentGame:
    from gammond.tools.barca.tournament import BarcaTournament

    return BarcaTournament()


WING = Wing(
    read_weights=_read_weights,
    trainers={"barca-ascend": _load_ascend, "barca-fit": _load_fit},
    train_commands={"barca-ascend": "gammond.tools.barca.ascend", "barca-fit": "gammond.tools.barca.fit"},
    tournaments={"barca": _make_tournament},
)
