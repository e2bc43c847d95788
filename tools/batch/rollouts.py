"""Rollouts of the positions of `gammond batch`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.rollout_requests import CUBE as CUBE_KIND
from gammond.engine.analysis.rollout_requests import MOVES as MOVES_KIND
from gammond.engine.analysis.rollout_requests import POSITION, PreparedRollout, RolloutRequest, RolloutResult
from gammond.engine.evaluation.results import CubeResponse, Evaluation
from gammond.engine.formats.position_batch import ParsedPositions
from gammond.engine.rollout import CubeRollout, RolloutState
from gammond.engine.rules.dice import encode_roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import Variant
from gammond.protocol.commands.rollouts import estimate_to_values
from gammond.tools.batch.evaluation import (
    CUBE,
    EVAL,
    MOVES,
    VALUE_COLUMNS,
    Cell,
    Columns,
    check_wants,
    clear_negative_zero,
)
from gammond.tools.common.rollout_options import RolloutOptions

_EVAL_COLUMNS = (*VALUE_COLUMNS, "equity_se")
_EVAL_CUBE_COLUMNS = ("cubeful", "cubeful_se", "mwc", "mwc_se")
_KEYS = {"equity_se": "se"}
"""Columns whose keys in answers of the wire have another name."""

_PLAY_COLUMNS = (
    *("dice", "best", "best_equity", "best_se", "best_mwc"),
    *("second", "second_equity", "second_se", "second_mwc"),
)
_DECISION_COLUMNS = ("action", "no_double", "no_double_se", "double_take", "double_take_se", "double_pass")


class BatchRollouts:
    """Rolls out position after position. Not for use from several threads.

    Args:
        engine: Evaluates.
        options: Of each rollout.
        is_cubeful: Whether cube and score count.
        wants: Which of `WANTS`: the position, the best plays, the cube decision; a rollout for each.
        report: Called about twice a second with the number of complete trials of the rollout at work.

    Raises:
        UnsupportedError: Cube decisions are wanted without the cube.
    """

    def __init__(
        self,
        engine: Engine,
        options: RolloutOptions,
        *,
        is_cubeful: bool = True,
        wants: Sequence[str] = (EVAL,),
        report: Callable[[int], None] = lambda trials: None,
    ) -> None:
        self._engine = engine
        self._options = options
        self._is_cubeful = is_cubeful
        self._wants = check_wants(wants, is_cubeful)
        self._stopped = threading.Event()
        self.report = report

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self._engine.name

    @property
    def variant(self) -> Variant:
        """The game that the positions are of."""
        return self._engine.rules.variant

    @property
    def plies(self) -> int:
        """The look-ahead for plays and cube decisions."""
        return self._engine.evaluator.plies + self._options.plies

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its answers."""
        plays = [name for name in _PLAY_COLUMNS if self._is_cubeful or not name.endswith("mwc")]
        return (
            "plies",
            "trials",
            *(_EVAL_COLUMNS if EVAL in self._wants else ()),
            *(_EVAL_CUBE_COLUMNS if EVAL in self._wants and self._is_cubeful else ()),
            *(plays if MOVES in self._wants else ()),
            *(_DECISION_COLUMNS if CUBE in self._wants else ()),
        )

    def check_match(self, match: MatchState) -> None:
        """Check that positions of a match state can be rolled out.

        Raises:
            PositionError: The cube of a match shows more than 1 and nobody owns it.
        """
        if self._is_cubeful:
            self._engine.make_cube_game(match)

    def answer(self, found: ParsedPositions) -> Columns:
        """Roll out positions, all of them good."""
        rows = []
        try:
            for place in range(len(found.boards)):
                rows.append(self._answer_position(found, place))
        except KeyboardInterrupt:
            self._stopped.set()
            raise
        return {name: [row.get(name) for row in rows] for name in self.columns}

    def _answer_position(self, found: ParsedPositions, place: int) -> dict[str, Cell]:
        position = Position.from_valid_board(found.boards[place])
        match = found.matches[found.match_indices[place]] if self._is_cubeful else MatchState()
        roll = found.rolls.get(place)
        row: dict[str, Cell] = {"plies": self.plies}
        answers = []
        if EVAL in self._wants:
            answers.append(self._roll_out(RolloutRequest(POSITION, position, match), row))
        if MOVES in self._wants and roll is not None and not position.is_over:
            row["dice"] = encode_roll(roll)
            answers.append(self._roll_out(RolloutRequest(MOVES_KIND, position, match, roll), row))
        if CUBE in self._wants and not position.is_over:
            answers.append(self._roll_out(RolloutRequest(CUBE_KIND, position, match), row))
        row["trials"] = max((answer.trials for answer in answers), default=None)
        return row

    def _roll_out(self, request: RolloutRequest, row: dict[str, Cell]) -> RolloutResult:
        """Roll out, and write the cells of the answer into a row."""
        options = self._options
        request = RolloutRequest(
            request.kind,
            request.position,
            request.match,
            request.roll,
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
            names = (*_EVAL_COLUMNS, *_EVAL_CUBE_COLUMNS)
            row |= {name: _read_number(values.get(_KEYS.get(name, name))) for name in names}
        elif isinstance(results, CubeRollout):
            decision = results.decision
            row["action"] = decision.text
            points = {
                name: None if (value := getattr(decision, name)) is None else value.points
                for name in ("no_double", "double_take", "double_pass")
            }
            row |= {
                name: None if each is None else clear_negative_zero(each) for name, each in points.items()
            }
            if points["no_double"] is not None:
                row["no_double_se"] = _read_number(results.no_double.error)
            if results.take is not None and points["double_take"] is not None:
                beavered = decision.response is CubeResponse.BEAVER
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
