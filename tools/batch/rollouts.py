"""Rollouts of the positions of `gammond batch`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.rollout_requests import CUBE as CUBE_KIND
from gammond.engine.analysis.rollout_requests import MOVES as MOVES_KIND
from gammond.engine.analysis.rollout_requests import POSITION, PreparedRollout, RolloutRequest, RolloutResult
from gammond.engine.evaluation.results import CubeResponse, Evaluation
from gammond.engine.formats.position_batch import ParsedPositions
from gammond.engine.rollout import CubeRollout, RolloutState
from gammond.engine.rules.dice import Roll, encode_roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.position import Position
from gammond.protocol.commands.rollouts import estimate_to_values
from gammond.tools.batch.evaluation import (
    CUBE,
    EVAL,
    MOVES,
    VALUE_COLUMNS,
    PositionAnalysis,
    clear_negative_zero,
    list_decisions,
)
from gammond.tools.batch.rows import Cell, Columns
from gammond.tools.common.rollout_options import RolloutOptions

_EVAL_COLUMNS = (*VALUE_COLUMNS, "equity_se", "cubeful", "cubeful_se", "mwc", "mwc_se")
_KEYS = {"equity_se": "se"}
"""Columns whose keys in answers of the wire have another name."""


class BatchRollouts(PositionAnalysis):
    """Rolls out position after position: the position, the best plays, the cube decision.

    Args:
        engine: Evaluates.
        options: Of each rollout.
        is_cubeful: Whether cube and score count.
        wants: Which of `WANTS`, in order; a rollout for each.
        id_forms: Forms in which answers have the positions too.

    Attributes:
        report: Called about twice a second with the number of complete trials of the rollout at work.
    """

    first_columns: ClassVar[tuple[str, ...]] = ("plies", "trials")
    columns_of: ClassVar[Mapping[str, tuple[str, ...]]] = {
        EVAL: _EVAL_COLUMNS,
        MOVES: (
            *("dice", "best", "best_equity", "best_se", "best_mwc"),
            *("second", "second_equity", "second_se", "second_mwc"),
        ),
        CUBE: ("action", "no_double", "no_double_se", "double_take", "double_take_se", "double_pass"),
    }

    def __init__(
        self,
        engine: Engine,
        options: RolloutOptions,
        *,
        is_cubeful: bool = True,
        wants: Sequence[str] = (EVAL,),
        id_forms: Sequence[str] = (),
    ) -> None:
        super().__init__(engine, options.plies, wants, is_cubeful, id_forms)
        self._options = options
        self.report: Callable[[int], None] = lambda trials: None

    def _answer(self, found: ParsedPositions) -> Columns:
        rows = [self._answer_position(found, place) for place in range(len(found.boards))]
        names = (name for name in self.columns if name not in self._id_forms)
        return {name: [row.get(name) for row in rows] for name in names}

    def _answer_position(self, found: ParsedPositions, place: int) -> dict[str, Cell]:
        position = Position.from_valid_board(found.boards[place])
        match = found.matches[found.match_indices[place]] if self._is_cubeful else MatchState()
        roll = found.rolls.get(place)
        row: dict[str, Cell] = {"plies": self.plies}
        answers = []
        if EVAL in self._wants:
            answers.append(self._roll_out(POSITION, position, match, row))
        if MOVES in self._wants and roll is not None and not position.is_over:
            row["dice"] = encode_roll(roll)
            answers.append(self._roll_out(MOVES_KIND, position, match, row, roll))
        if CUBE in self._wants and not position.is_over:
            answers.append(self._roll_out(CUBE_KIND, position, match, row))
        row["trials"] = max((answer.trials for answer in answers), default=None)
        return row

    def _roll_out(
        self,
        kind: str,
        position: Position,
        match: MatchState,
        row: dict[str, Cell],
        roll: Roll | None = None,
    ) -> RolloutResult:
        """Roll out, and write the cells of the answer into a row."""
        options = self._options
        request = RolloutRequest(
            kind,
            position,
            match,
            roll,
            is_cubeful=self._is_cubeful,
            candidates=options.candidates,
            plies=options.plies,
            leaf_plies=options.leaf_plies,
        )
        prepared = PreparedRollout(request, self._engine, options.settings, self._stopped.is_set)
        answer = prepared.run(progress=self._report_trials)
        results = answer.results
        if isinstance(results, Evaluation):
            values = estimate_to_values(results)
            row |= {name: _read_number(values.get(_KEYS.get(name, name))) for name in _EVAL_COLUMNS}
        elif isinstance(results, CubeRollout):
            row |= {name: cells[0] for name, cells in list_decisions([results.decision]).items()}
            if row["no_double"] is not None:
                row["no_double_se"] = _read_number(results.no_double.error)
            if results.take is not None and row["double_take"] is not None:
                beavered = results.decision.response is CubeResponse.BEAVER
                row["double_take_se"] = _read_number((1 + beavered) * (results.take.error or 0.0))
        else:
            for name, play in zip(("best", "second"), results, strict=False):
                estimate = play.evaluation
                row[name] = format_play(play.play)
                if estimate.is_scaled:
                    row[f"{name}_equity"] = clear_negative_zero(estimate.equity)
                    row[f"{name}_se"] = _read_number(estimate.error)
                row[f"{name}_mwc"] = _read_number(estimate.mwc)
        return answer

    def _report_trials(self, state: RolloutState) -> None:
        self.report(max(map(len, state.scores)))


def _read_number(value: object) -> float | None:
    """Return a number for a cell; None where it is missing or nan, as errors of a single trial are."""
    if not isinstance(value, float | int) or value != value:
        return None
    return clear_negative_zero(float(value))
