"""The work of a JSON query: its positions evaluated in order, as far as its budget allows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

import msgspec
import numpy as np

from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings
from engine.errors import CancelledWork, LimitError
from engine.formats.position_batch import ParsedPositions, parse_positions
from engine.formats.position_id import encode_position_ids
from engine.rules.dice import Roll
from engine.rules.match import MatchState
from engine.rules.moves import estimate_play_counts
from engine.rules.notation import format_play
from engine.rules.position import Position
from engine.rules.rules import STANDARD_RULES
from engine.search import SearchProgress, SearchWatch
from engine.search.results import PlayEvaluation, PositionEvaluation
from protocol.commands.cube import decision_to_values
from protocol.commands.evaluation import PLAY_BYTES, evaluation_to_values, evaluations_to_values
from protocol.core.arguments import error_field
from protocol.core.replies import DECIMALS, round_value
from protocol.core.requests import AnyReply, JsonReply, ReplyValue, WorkControl
from protocol.state.offers import check_cube_owner

CHUNK_SIZES = (256, 48, 8, 1, 1)
"""Positions evaluated together, by plies: the results of finished blocks are kept whatever happens later."""

_SAMPLE_SIZE = 256
"""Positions of a query that are looked at to estimate the plays of all."""

_VALUES_BYTES = 250
"""What an evaluation or cube decision takes in an answer, about."""

TEXT_CHUNK = 1024
"""Positions evaluated together where only ``eval`` at 0-ply is wanted."""


@dataclass
class QueryBudget:
    """What a query may take, from the moment at which it came.

    Attributes:
        control: Stops it.
        clock: Seconds.
        deadline_s: When its time is over, by that clock; None for never.
        plays_left: How many plays it may still evaluate.
    """

    control: WorkControl
    clock: Callable[[], float]
    deadline_s: float | None
    plays_left: int

    def is_spent(self) -> bool:
        """Return whether the query is stopped or out of time."""
        is_late = self.deadline_s is not None and self.clock() > self.deadline_s
        return self.control.is_stopped or is_late

    def spend_plays(self, count: int) -> None:
        """Count evaluated plays.

        Raises:
            LimitError: They are too many.
        """
        self.plays_left -= count
        if self.plays_left < 0:
            raise LimitError(
                "too many plays in all positions of one query: send several queries", field="positions"
            )


@dataclass(frozen=True)
class QueryOptions:
    """What a query wants to know of each position.

    Attributes:
        analyses: Some of ``eval``, ``moves`` and ``cube``.
        settings: How deep.
        max_moves: How many plays to show; None for all.
        progress_every: After how many more positions to report; None for no reports.
    """

    analyses: Sequence[str]
    settings: EvalSettings
    max_moves: int | None
    progress_every: int | None

    def estimate_bytes(self, positions: int, plays: int) -> int:
        """Return about how many bytes the answer takes.

        Args:
            positions: How many positions there are.
            plays: How many plays they have together.
        """
        shown = min(plays, positions * self.max_moves) if self.max_moves else plays
        return _VALUES_BYTES * len(self.analyses) * positions + PLAY_BYTES * shown


@dataclass(frozen=True)
class TextQuery:
    """The positions of one query, as they were sent.

    Attributes:
        head: What each object of its answer begins with.
        texts: The positions.
        is_list: Whether they came as a list, which errors show.
    """

    head: dict[str, object]
    texts: Sequence[str]
    is_list: bool

    def name_position(self, place: int) -> str:
        """Return what errors call a position."""
        return f"positions[{place}]" if self.is_list else "position"


@dataclass(frozen=True)
class EvaluationQueries:
    """Answers queries that want nothing but ``eval`` at 0-ply, many at once: a `RequestBatch`.

    Attributes:
        engine: Evaluates the positions.
        settings: How.
    """

    engine: Engine
    settings: EvalSettings

    def answer(self, items: Sequence[TextQuery]) -> list[AnyReply | Exception]:
        """Answer each query whose positions can all be read; the others get their first error."""
        parsed = parse_positions([text for item in items for text in item.texts], check_cube_owner)
        rows = self.evaluate(parsed)
        answers: list[AnyReply | Exception] = []
        start = 0
        for item in items:
            end = start + len(item.texts)
            place = next((place for place in range(start, end) if not parsed.is_good[place]), None)
            if place is None:
                answers.append(make_final_reply(item.head, self.engine, self.settings, rows[start:end]))
            else:
                answers.append(parsed.errors[place].with_field(item.name_position(place - start)))
            start = end
        return answers

    def evaluate(self, parsed: ParsedPositions) -> list[dict[str, object]]:
        """Return what the answer has for each position; without meaning for texts that are none."""
        boards = parsed.boards
        if parsed.errors:
            boards = boards.copy()
            boards[~parsed.is_good] = STANDARD_RULES.starting_position.board
        found = self.engine.evaluate_matches(boards, parsed.matches, parsed.match_indices, self.settings)
        plies = self.engine.evaluator.plies
        return [
            {"position": text, "eval": {**values, "plies": plies}}
            for text, values in zip(
                encode_position_ids(boards), evaluations_to_values(found, DECIMALS), strict=True
            )
        ]


def estimate_play_count(texts: Sequence[str], dice: Roll | None) -> int:
    """Return about how many plays the positions of a query have together.

    Args:
        texts: The positions; those that are none do not count.
        dice: The dice; None for those of each position.
    """
    sample = parse_positions(texts[:_SAMPLE_SIZE])
    are_doubles = np.full(len(sample.boards), dice is not None and dice[0] == dice[1])
    if dice is None:
        are_doubles[[place for place, roll in sample.rolls.items() if roll[0] == roll[1]]] = True
    plays = estimate_play_counts(sample.boards[sample.is_good], are_doubles[sample.is_good])
    return int(plays.sum()) * len(texts) // len(sample.boards)


def make_final_reply(
    head: dict[str, object],
    engine: Engine,
    settings: EvalSettings,
    results: Sequence[object],
    *,
    is_cut: bool = False,
) -> JsonReply:
    """Make the final object of an answer.

    Args:
        head: What each object of the answer begins with.
        engine: Evaluated the positions.
        settings: How.
        results: What the answer has for each position.
        is_cut: Whether the query was stopped before all was done.
    """
    about = {"plies": engine.evaluator.plies + settings.plies, "net": engine.name}
    document = {**head, "final": True, **about, "results": results}
    return JsonReply({**document, "stopped": True} if is_cut else document)


@dataclass
class QueryPosition:
    """One position of a query, and what was found out about it.

    Attributes:
        position: The checkers, those of the seat on roll first.
        match: The match state before the roll.
        roll: The dice for ``moves``.
        field_name: What errors call it.
        result: What the answer says of it.
    """

    position: Position
    match: MatchState
    roll: Roll | None
    field_name: str
    result: dict[str, object]


@dataclass
class QueryAnalysis:
    """Evaluates the positions of a query in their order, as far as its budget goes.

    Attributes:
        engine: Evaluates them.
        options: What to find out.
        budget: What it may take.
        head: What each object of its answer begins with.
        done_count: Positions that are done.
        is_partial: Whether one of them has a smaller depth than requested.
    """

    engine: Engine
    options: QueryOptions
    budget: QueryBudget
    head: dict[str, object]
    done_count: int = 0
    is_partial: bool = False
    _total: int = field(default=0, init=False)

    def run(self, positions: list[QueryPosition]) -> None:
        """Fill in results until all are there or the budget is spent."""
        self._total = len(positions)
        size = CHUNK_SIZES[self.options.settings.plies]
        for start in range(0, len(positions), size):
            if self.budget.is_spent():
                return
            chunk = positions[start : start + size]
            if {"eval", "cube"} & set(self.options.analyses):
                self._evaluate(chunk)
            if "moves" not in self.options.analyses:
                self._count_done(len(chunk))
                continue
            for item in chunk:
                if self.budget.is_spent():
                    return
                try:
                    self._rank_plays(item)
                except CancelledWork:
                    return
                self._count_done(1)

    def evaluate_texts(self, query: TextQuery) -> list[dict[str, object]]:
        """Evaluate positions at 0-ply until all are done or the budget is spent; return their results.

        Raises:
            GammondError: A text is no position.
        """
        self._total = len(query.texts)
        evaluation = EvaluationQueries(self.engine, self.options.settings)
        results: list[dict[str, object]] = []
        for start in range(0, len(query.texts), TEXT_CHUNK):
            if self.budget.is_spent():
                break
            parsed = parse_positions(query.texts[start : start + TEXT_CHUNK], check_cube_owner)
            if parsed.errors:
                place = min(parsed.errors)
                raise parsed.errors[place].with_field(query.name_position(start + place))
            results += evaluation.evaluate(parsed)
            self._count_done(len(parsed.boards))
        return results

    def _count_done(self, more: int) -> None:
        """Count positions that are done, and report them when it is time to."""
        before, self.done_count = self.done_count, self.done_count + more
        every = self.options.progress_every
        if every and self.done_count // every > before // every and self.done_count < self._total:
            self._report({})

    def _report(self, effort: dict[str, object]) -> None:
        progress = {**self.head, "final": False, "done": self.done_count, "total": self._total, **effort}
        self.budget.control.report(JsonReply(progress, is_final=False))

    def _make_watch(self) -> SearchWatch:
        """Return the watch of one search: stopped with the query, with progress if the query wants it."""

        def report(progress: SearchProgress) -> None:
            if not progress.effort.is_finished:
                self._report(
                    {"nodes": progress.effort.nodes, "time_ms": int(progress.effort.elapsed_s * 1000)}
                )

        return SearchWatch(self.budget.is_spent, report if self.options.progress_every else None)

    def _evaluate(self, items: list[QueryPosition]) -> None:
        for match, group in _group_by_match(items):
            positions = [item.position for item in group]
            with error_field(group[0].field_name):
                evaluations = self.engine.evaluate_positions(
                    positions, match, self.options.settings, self._make_watch()
                )
            for item, evaluation in zip(group, evaluations, strict=True):
                self._store_evaluation(item, evaluation)

    def _store_evaluation(self, item: QueryPosition, evaluation: PositionEvaluation) -> None:
        self.is_partial |= not evaluation.effort.is_finished
        if "eval" in self.options.analyses:
            item.result["eval"] = _round_values(
                {**evaluation_to_values(evaluation), "plies": evaluation.effort.plies}
            )
        if "cube" in self.options.analyses and evaluation.decision is not None:
            item.result["cube"] = _round_values(
                {**decision_to_values(evaluation.decision), "plies": evaluation.effort.plies}
            )

    def _rank_plays(self, item: QueryPosition) -> None:
        """Add the ranked plays, as text already: as objects they would take ten times the memory.

        Raises:
            CancelledWork: The query is over while a long list of plays at 0-ply is written.
        """
        assert item.roll is not None
        depth, watch = self.options.settings, self._make_watch()
        control = self.budget.control
        with error_field(item.field_name):
            ranked = self.engine.rank_plays(item.position, item.roll, item.match, depth, watch)
        self.budget.spend_plays(len(ranked.plays))
        self.is_partial |= not ranked.effort.is_finished
        shown = min(len(ranked.plays), self.options.max_moves or len(ranked.plays))

        def encode(block: slice) -> list[bytes]:
            if depth.plies == 0 and block.start and self.budget.is_spent():
                raise CancelledWork("the query is over")
            return [_encode_plays(ranked.plays[block])]

        moves = control.run_in_blocks(shown, encode)
        text = b"".join([b"[", b",".join(moves), b"]"])
        control.answer_bytes += len(text)
        item.result["moves"] = msgspec.Raw(text)


def _group_by_match(items: list[QueryPosition]) -> Iterator[tuple[MatchState, list[QueryPosition]]]:
    """Split into runs of one match state."""
    for match, group in groupby(items, key=attrgetter("match")):
        yield match, list(group)


def _encode_plays(plays: Iterable[PlayEvaluation]) -> bytes:
    """Write plays as the items of a JSON list, without its brackets."""
    return msgspec.json.encode([_play_to_document(play) for play in plays])[1:-1]


def _play_to_document(play: PlayEvaluation) -> dict[str, ReplyValue]:
    numbers = _round_values(evaluation_to_values(play))
    return {"play": format_play(play.play), **numbers, "plies": play.plies, "survived": play.survived}


def _round_values(values: dict[str, ReplyValue]) -> dict[str, ReplyValue]:
    """Round as on the wire."""
    return {name: round_value(value) if isinstance(value, float) else value for name, value in values.items()}
