"""Files of positions of games other than backgammon, such as Barca: a JSON query for each of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gammond.engine.errors import GammondError, UnsupportedError
from gammond.engine.runtime.threads import Workers
from gammond.engine.store.options import NO_STORE
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.protocol.state.session import Session
from gammond.tools.batch.evaluation import CUBE, EVAL, MOVES, LineAnswers
from gammond.tools.batch.lines import PositionLine
from gammond.tools.batch.options import BatchOptions
from gammond.tools.batch.rows import Cell
from gammond.tools.common.other_games import make_query, refuse_options, run_query

EVAL_COLUMNS = ("score", "win_in", "loss_in")
MOVE_COLUMNS = ("best", "best_score", "second", "second_score")

_OF_BACKGAMMON = ("net", "ids", "filter", "cubeless", "rollout", "cluster", "resume")
"""Options of backgammon, and their values where they are not given."""


@dataclass(frozen=True)
class GameAnalysis:
    """Answers for lines with positions of a game.

    Attributes:
        variant: The game.
        wants: Which of `EVAL` and `MOVES`.
        plies: Look-ahead; ranked moves take 1 at least.
        weights: The evaluation; None for the usual one.
        workers: Threads that search.
    """

    variant: str
    wants: tuple[str, ...]
    plies: int
    weights: str | None
    workers: Workers
    _service: Service = field(
        default_factory=lambda: Service(make_shipped_catalogue(NO_STORE), threads=1, has_log=False)
    )

    @property
    def name(self) -> str:
        """What answers."""
        return self.variant if self.weights is None else f"{self.variant} with weights {self.weights}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its answers."""
        own = {EVAL: EVAL_COLUMNS, MOVES: MOVE_COLUMNS}
        return ("plies", *(name for want in self.wants for name in own[want]))

    def answer_lines(self, block: list[PositionLine]) -> LineAnswers:
        """Answer for lines, as `gammond.tools.batch.evaluation.LineAnalysis`."""
        control = WorkControl()
        try:
            found = self.workers.map(lambda line: self._answer_line(line, control), block)
        except KeyboardInterrupt:
            control.stop()
            raise
        errors = {place: each for place, each in enumerate(found) if isinstance(each, GammondError)}
        good = [each for each in found if not isinstance(each, GammondError)]
        return {name: [row.get(name) for row in good] for name in self.columns}, errors, []

    def _answer_line(self, line: PositionLine, control: WorkControl) -> dict[str, Cell] | GammondError:
        if line.error is not None:
            return line.error
        asked = {"want": self.wants, "depth": self.plies, "weights": self.weights, "max_moves": 2}
        query = make_query(self.variant, line.text, asked)
        try:
            (result,) = run_query(Session(self._service, 0), control, query)["results"]
        except GammondError as error:
            return error
        ranked: list[dict[str, Any]] = result.get("moves", [])
        row = {"plies": self.plies, **result.get("eval", {})}
        for name, move in zip(("best", "second"), ranked, strict=False):
            row |= {name: move["play"], f"{name}_score": move.get("score")}
        return row


def load_game_analysis(options: BatchOptions, threads: int) -> GameAnalysis:
    """Load what the options of a run ask for.

    Raises:
        GammondError: An option is for backgammon, or out of range.
    """
    refuse_options(options, options.variant, _OF_BACKGAMMON)
    if CUBE in options.wants:
        raise UnsupportedError(f"--want: there is no cube in {options.variant}", field="want")
    plies = max(options.plies or 0, int(MOVES in options.wants))
    analysis = GameAnalysis(options.variant, options.wants, plies, options.weights, Workers(threads))
    asked = {"want": ["legal"], "depth": plies, "weights": options.weights}
    run_query(Session(analysis._service, 0), WorkControl(), make_query(options.variant, "startpos", asked))
    return analysis
