"""A board evaluation vector: features of a side, each times a weight.

*Source:* the technology page of Astros (University of California, Irvine), section "Heuristics". Its game is
Barca, with watering holes for goals and pieces that scare each other. Its heuristics become:

- watering holes held (a value for each number of them): home points made, in four steps;
- holes that can be taken next turn, times the ways: the ways to make another home point at the next turn;
- pieces next to a hole, which come in and deter: spare checkers within six pips of a home point not made, and
  anchors in the opponent's home board;
- pieces in fear: blots that an opposing checker may hit, near and far, and the pips that this would cost;
- closeness to the centre: checkers on points 4 to 9;
- closeness to teammates that complement a piece: neighbouring points made.

Bar, pips and checkers borne off, which that game lacks, are added: it ends when three holes are held,
backgammon when all checkers are off. The value of a position is the value of the side's own features minus
that of the opponent's.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gammond.engine.kernels import as_kernel_array
from gammond.engine.rules.position import Board
from gammond.nets.heritage.astros import kernels as kernel_bev

_MAX_WEIGHT = 1000.0


def _make_weight_meta(meaning: str) -> Meta:
    return Meta(ge=-_MAX_WEIGHT, le=_MAX_WEIGHT, description=f"weight of {meaning}")


class BevWeights(msgspec.Struct, frozen=True):
    """The weights of the features; features are counts for one side, or pips."""

    home0: Annotated[float, _make_weight_meta("having made 0 or 1 home points")] = -8.0
    home2: Annotated[float, _make_weight_meta("having made 2 or 3")] = 0.0
    home4: Annotated[float, _make_weight_meta("having made 4 or 5")] = 14.0
    home6: Annotated[float, _make_weight_meta("having made all 6")] = 40.0
    ways: Annotated[float, _make_weight_meta("each way to make another home point next turn")] = 0.5
    near: Annotated[float, _make_weight_meta("each spare checker near a home point not made")] = 0.5
    deter: Annotated[float, _make_weight_meta("each checker of an anchor in the opponent's home board")] = 1.5
    fear: Annotated[float, _make_weight_meta("each blot within six pips of an opposing checker")] = -6.0
    fear_far: Annotated[
        float, _make_weight_meta("each blot within seven to twelve pips of the nearest")
    ] = -2.0
    lost: Annotated[float, _make_weight_meta("each pip that a near blot would lose")] = -0.25
    centre: Annotated[float, _make_weight_meta("each checker on points 4 to 9")] = 0.5
    pairs: Annotated[float, _make_weight_meta("each pair of neighbouring points made")] = 3.0
    bar: Annotated[float, _make_weight_meta("each checker on the bar")] = -12.0
    pips: Annotated[float, _make_weight_meta("each pip to go")] = -1.0
    off: Annotated[float, _make_weight_meta("each checker borne off")] = 2.0

    @property
    def vector(self) -> NDArray[np.float64]:
        """``float64[15]``, in the order of the fields."""
        return np.array(msgspec.structs.astuple(self))


HAND_WEIGHTS = BevWeights()
"""Weights set by hand."""

LEARNED_WEIGHTS = BevWeights(
    home0=-10.056,
    home2=4.406,
    home4=13.544,
    home6=40.124,
    ways=-0.19296,
    near=0.17461,
    deter=-0.19115,
    fear=-4.7946,
    fear_far=-1.6372,
    lost=-0.5048,
    centre=2.1517,
    pairs=3.1677,
    bar=-11.498,
    pips=-2.7709,
    off=2.3227,
)
"""Weights that ``gammond heritage ascend`` made of these; `docs/lab/history/5-astros.md` has the command."""


class BevScorer:
    """Scores plays by a board evaluation vector; an `gammond.engine.evaluation.evaluator.Scorer`.

    Args:
        weights: ``float64[15]``, in the order of `BevWeights`.
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self._weights = np.ascontiguousarray(weights, np.float64)

    def score_boards(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play, as `gammond.engine.evaluation.evaluator.Scorer.score_boards`."""
        boards = as_kernel_array(boards, np.int8)
        scores = np.empty(len(boards), np.float32)
        kernel_bev.score_positions(boards, self._weights, scores)
        return scores
