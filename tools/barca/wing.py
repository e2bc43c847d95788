"""What Barca adds to other commands: its weights, trainers, tournaments and counts of moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gammond.tools.common.wings import SequenceCounter, Wing

if TYPE_CHECKING:
    from gammond.tools.tournament.options import RulesReader


def _read_weights(name: str) -> str:
    from gammond.tools.barca.weights import read_run_weights

    return read_run_weights(name).to_text()


def _load_rules_reader() -> RulesReader:
    from gammond.tools.barca.tournament import read_rules

    return read_rules


def _make_counter(text: str | None) -> SequenceCounter:
    from gammond.tools.barca.counting import make_counter

    return make_counter(text)


_TRAINERS = {"barca-ascend": "gammond.tools.barca.ascend", "barca-fit": "gammond.tools.barca.fit"}

WING = Wing(
    read_weights=_read_weights,
    trainers=_TRAINERS,
    train_commands=_TRAINERS,
    tournaments={"barca": _load_rules_reader},
    counters={"barca": _make_counter},
)
