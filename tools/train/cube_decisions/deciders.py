"""What players think of cube decisions: their values of both choices, and what they would do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.analysis.many_positions import evaluate_matches
from gammond.engine.errors import ValueRangeError
from gammond.engine.evaluation.results import CubeDecision
from gammond.nets.catalogue import SHIPPED, FoundEvaluator
from gammond.tools.common.opponents import load_net_engine
from gammond.tools.gnubg.cube_values import ask_cube_values
from gammond.tools.train.cube_decisions.decision_file import RatedDecision

_NAME = re.compile("(.+?)(?::plies=([0-3]))?")
_GNUBG = "gnubg"

DECIDER_HELP = "an evaluator, 'default', 'run:FOLDER' or 'gnubg' (the program), with ':plies=N' behind it"
"""For the help of options that take a decider."""

_GNUBG_DOUBLES = ("double", "redouble", "optional")
"""How its verdicts to double begin."""


@dataclass(frozen=True, eq=False)
class CubeOpinions:
    """What a player thinks of cube decisions, for the side on roll.

    Attributes:
        values: ``float64[n, 2]``, equities of no double and double/take in points at the present cube.
        doubles: ``bool[n]``, whether it would double.
        takes: ``bool[n]``, whether it would take.
    """

    values: NDArray[np.float64]
    doubles: NDArray[np.bool_]
    takes: NDArray[np.bool_]

    @classmethod
    def from_decisions(cls, made: Sequence[CubeDecision]) -> CubeOpinions:
        """Read them from the engine's decisions, in all of which the rules allow a double."""
        values = [(each.no_double, each.double_take) for each in made]
        return cls(
            np.array([(held.equity, taken.equity) for held, taken in values if taken]),
            np.array([each.should_double for each in made]),
            np.array([each.should_take for each in made]),
        )


def ask_decider(name: str, decisions: Sequence[RatedDecision]) -> CubeOpinions:
    """Ask a player about cube decisions.

    Args:
        name: `DECIDER_HELP`.
        decisions: The decisions.

    Raises:
        ValueRangeError: There is no such evaluator, or the plies are out of range.
        UnsupportedError: gnubg is missing.
        DataFileError: A net is missing or faulty.
    """
    found = _NAME.fullmatch(name)
    assert found is not None, f"every name matches, got {name!r}"
    net, plies = found[1], int(found[2] or 0)
    if net == _GNUBG:
        return _ask_gnubg(decisions, plies)
    if not isinstance(SHIPPED.find(net), FoundEvaluator) and ":" not in net:
        raise ValueRangeError(f"expected {DECIDER_HELP}; got {name!r}", field="player")
    return _ask_engine(net, plies, decisions)


def _ask_engine(net: str, plies: int, decisions: Sequence[RatedDecision]) -> CubeOpinions:
    engine, settings = load_net_engine(net), EvalSettings(plies)
    boards = np.stack([decision.position.board for decision in decisions])
    matches = list(dict.fromkeys(decision.match for decision in decisions))
    places = np.array([matches.index(decision.match) for decision in decisions])
    found = evaluate_matches(engine, boards, matches, places, settings, may_double_now=False, decides=True)
    return CubeOpinions.from_decisions([each for each in found.decisions or () if each is not None])


def _ask_gnubg(decisions: Sequence[RatedDecision], plies: int) -> CubeOpinions:
    answers = ask_cube_values([(decision.position, decision.match) for decision in decisions], plies)
    values = np.array([answer[:2] for answer in answers])
    doubles = [answer[2].lower().startswith(_GNUBG_DOUBLES) for answer in answers]
    return CubeOpinions(values, np.array(doubles), values[:, 1] <= 1.0)
