"""The work of a JSON query: its positions evaluated in order, as far as its time and plays allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

import msgspec
import numpy as np

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.analysis.many_positions import evaluate_matches
from gammond.engine.errors import CancelledWork, GammondError, LimitError, StateError
from gammond.engine.formats.position_batch import ParsedPositions, parse_positions
from gammond.engine.formats.position_id import encode_position_id, encode_position_ids
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import estimate_play_counts, estimate_plays
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import Variant
from gammond.engine.search import SearchProgress, SearchWatch
from gammond.engine.search.ranked_plays import RankedPlays
from gammond.protocol.commands.cube import decision_to_values
from gammond.protocol.commands.evaluation import evaluation_to_values, evaluations_to_values, plays_to_values
from gammond.protocol.core.arguments import error_field
from gammond.protocol.core.replies import DECIMALS, round_values
from gammond.protocol.core.requests import AnyReply, JsonReply, WorkControl
from gammond.protocol.dialects.json_fields import Query
from gammond.protocol.dialects.json_parts import (
    PARTS,
    ROLL_PARTS,
    PartRequest,
    effort_to_document,
    name_part_field,
)
from gammond.protocol.state.offers import check_cube_owner
from gammond.protocol.state.service import Service
from gammond.protocol.state.session import EngineSettings

CHUNK_SIZES = (256, 48, 8, 1, 1)
"""Positions evaluated together, by plies: the results of finished blocks are kept whatever happens later."""

TEXT_CHUNK = 1024
"""Positions read together, and evaluated together where only ``eval`` at 0-ply is wanted."""

_SAMPLE_SIZE = 256
"""Positions of a query that are looked at to estimate the plays of all."""


@dataclass(frozen=True)
class EvaluationQueries:
    """Answers queries that want nothing but ``eval`` at 0-ply, many at once: a `RequestBatch`.

    Attributes:
        engine: Evaluates the positions.
        settings: How.
    """

    engine: Engine
    settings: EvalSettings

    def answer(self, items: Sequence[tuple[dict[str, object], Query]]) -> list[AnyReply | Exception]:
        """Answer each query whose positions can all be read; the others get their first error.

        Args:
            items: What each object of the answer begins with, and the query.
        """
        texts = [text for _, query in items for text in query.texts]
        parsed = parse_positions(texts, check_cube_owner, self.engine.rules.variant)
        rows = self.evaluate(parsed)
        answers: list[AnyReply | Exception] = []
        start = 0
        for head, query in items:
            end = start + len(query.texts)
            place = next((place for place in range(start, end) if not parsed.is_good[place]), None)
            if place is None:
                answers.append(make_final_reply(head, self.engine, self.settings, rows[start:end]))
            else:
                answers.append(parsed.errors[place].with_field(query.name_position(place - start)))
            start = end
        return answers

    def evaluate(self, parsed: ParsedPositions) -> list[dict[str, object]]:
        """Return what the answer has for each position; without meaning for texts that are none."""
        boards = parsed.boards
        if parsed.errors:
            boards = boards.copy()
            boards[~parsed.is_good] = self.engine.rules.starting_position.board
        found = evaluate_matches(self.engine, boards, parsed.matches, parsed.match_indices, self.settings)
        plies = self.engine.evaluator.plies
        rows: list[dict[str, object]] = [
            {"position": text, "eval": {**values, "plies": plies}}
            for text, values in zip(
                encode_position_ids(boards), evaluations_to_values(found, DECIMALS), strict=True
            )
        ]
        for place, remark in parsed.assumed.items():
            rows[place]["assumed"] = remark
        return rows


def estimate_play_count(texts: Sequence[str], dice: Roll | None, variant: Variant) -> int:
    """Return about how many plays the positions of a query have together.

    Args:
        texts: The positions; those that are none do not count.
        dice: The dice; None for those of each position.
        variant: The game that they are of.
    """
    sample = parse_positions(texts[:_SAMPLE_SIZE], variant=variant)
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


class _PartControl(WorkControl):
    """Stops a part of a query when the query is over.

    Args:
        control: That of the query.
        is_over: Returns whether the query is stopped or out of time.
    """

    def __init__(self, control: WorkControl, is_over: Callable[[], bool]) -> None:
        super().__init__()
        self.interpreter = control.interpreter
        self._is_over = is_over

    @property
    def is_stopped(self) -> bool:
        """Whether the query is over."""
        return self._is_over()


@dataclass
class QueryAnalysis:
    """Evaluates the positions of a query in their order, as far as its time and plays go.

    Attributes:
        engine: Evaluates them.
        service: Has the clock, the players and the caps.
        settings: Those of the session, when the query came.
        query: What to find out.
        head: What each object of its answer begins with.
        control: Stops it.
        deadline_s: When its time is over, by the clock of the service; None for never.
        parsed: Its positions, if they are few and read already.
        plays_left: How many plays it may still evaluate or list.
        done_count: Positions that are done.
        is_partial: Whether one of them has a smaller depth than requested.
    """

    engine: Engine
    service: Service
    settings: EngineSettings
    query: Query
    head: dict[str, object]
    control: WorkControl
    deadline_s: float | None
    parsed: ParsedPositions | None = None
    plays_left: int = field(init=False)
    done_count: int = field(default=0, init=False)
    is_partial: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.plays_left = self.service.limits.query_plays

    def run(self) -> list[dict[str, object]]:
        """Return the results of the positions, until all are there or the query is stopped or out of time.

        Raises:
            GammondError: A text is no position, or not one for which all can be found out.
        """
        return self._evaluate_texts() if self.query.is_evaluation else self._analyse_positions()

    def is_spent(self) -> bool:
        """Return whether the query is stopped or out of time."""
        is_stopped = self.control.is_cancelled()  # which may take a while
        return is_stopped or (self.deadline_s is not None and self.service.clock() > self.deadline_s)

    def _evaluate_texts(self) -> list[dict[str, object]]:
        evaluation = EvaluationQueries(self.engine, self.query.settings)
        results: list[dict[str, object]] = []
        for start, parsed in self._parse_chunks():
            if parsed.errors:
                place = min(parsed.errors)
                raise parsed.errors[place].with_field(self.query.name_position(start + place))
            results += evaluation.evaluate(parsed)
            self._count_done(len(parsed.boards))
        return results

    def _analyse_positions(self) -> list[dict[str, object]]:
        items = [
            self._make_position(parsed, place, self.query.name_position(start + place))
            for start, parsed in self._parse_chunks()
            for place in range(len(parsed.boards))
        ]
        size = CHUNK_SIZES[self.query.plies]
        for start in range(0, len(items), size):
            if self.is_spent():
                break
            chunk = items[start : start + size]
            if {"eval", "cube"} & set(self.query.want):
                self._evaluate(chunk)
            if not {"moves", *PARTS} & set(self.query.want):
                self._count_done(len(chunk))
                continue
            for item in chunk:
                if self.is_spent():
                    break
                try:
                    self._answer_parts(item)
                except CancelledWork:
                    break
                self._count_done(1)
        return [item.result for item in items[: self.done_count]]

    def _parse_chunks(self) -> Iterator[tuple[int, ParsedPositions]]:
        """Yield blocks of positions, each with the place of its first one."""
        texts = self.query.texts
        if self.parsed is not None:
            yield 0, self.parsed
            return
        for start in range(0, len(texts), TEXT_CHUNK):
            if self.is_spent():
                return
            chunk = texts[start : start + TEXT_CHUNK]
            yield start, parse_positions(chunk, check_cube_owner, self.engine.rules.variant)

    def _make_position(self, parsed: ParsedPositions, place: int, name: str) -> QueryPosition:
        if place in parsed.errors:
            raise parsed.errors[place].with_field(name)
        position = Position.from_valid_board(parsed.boards[place])
        match, roll = parsed.matches[parsed.match_indices[place]], self.query.dice or parsed.rolls.get(place)
        for want in self.query.want:
            if want in ROLL_PARTS and roll is None:
                raise StateError(f"no dice: '{want}' needs 'dice', or a position with dice", field="dice")
            if want == "rollout" and roll is None and self.query.rolls_out_plays:
                raise StateError(
                    "no dice: a rollout of plays needs 'dice', or a position with dice", field="dice"
                )
            if position.is_over and want != "eval":
                raise StateError(f"the game is over: '{want}' needs an unfinished game", field=name)
        result: dict[str, object] = {"position": encode_position_id(position)}
        if place in parsed.assumed:
            result["assumed"] = parsed.assumed[place]
        return QueryPosition(position, match, roll, name, result)

    def _count_done(self, more: int) -> None:
        """Count positions that are done, and report them when it is time to."""
        before, self.done_count = self.done_count, self.done_count + more
        every = self.query.progress_every
        if every and self.done_count // every > before // every and self.done_count < len(self.query.texts):
            self._report({})

    def _report(self, effort: Mapping[str, object]) -> None:
        """Report the positions that are done, and how far the work on the next one is."""
        progress = {
            **self.head,
            "final": False,
            "done": self.done_count,
            "total": len(self.query.texts),
            **effort,
        }
        self.control.report(JsonReply(progress, is_final=False))

    def _make_watch(self, part: str | None = None) -> SearchWatch:
        """Return the watch of one search: stopped with the query, with progress if the query wants it.

        Args:
            part: The name of the part that it is for, which progress names; nothing is told at 0-ply then.
        """

        def report(progress: SearchProgress) -> None:
            effort = progress.effort
            if not effort.is_finished and (effort.plies or part is None):
                about = {} if part is None else {"want": part}
                told = {"nodes": effort.nodes, "time_ms": int(effort.elapsed_s * 1000)}
                self._report({**about, **told})

        return SearchWatch(self.is_spent, report if self.query.progress_every else None)

    def _evaluate(self, items: list[QueryPosition]) -> None:
        want, settings = self.query.want, self.query.settings
        for match, members in groupby(items, key=attrgetter("match")):
            group = list(members)
            with error_field(group[0].field_name):
                evaluations = self.engine.evaluate_positions(
                    [item.position for item in group], match, settings, self._make_watch()
                )
            for item, evaluation in zip(group, evaluations, strict=True):
                about = effort_to_document(evaluation.effort)
                self.is_partial |= evaluation.effort is not None and not evaluation.effort.is_finished
                if "eval" in want:
                    item.result["eval"] = round_values(evaluation_to_values(evaluation) | about)
                if "cube" in want and evaluation.decision is not None:
                    item.result["cube"] = round_values(decision_to_values(evaluation.decision) | about)

    def _answer_parts(self, item: QueryPosition) -> None:
        """Add what is found out for one position at a time.

        Raises:
            CancelledWork: The query is over before all is there.
        """
        if "moves" in self.query.want:
            self._rank_plays(item)
        for name, part in PARTS.items():
            if name not in self.query.want:
                continue
            if self.is_spent():
                raise CancelledWork("the query is over")
            try:
                item.result[name], is_whole = part.answer(self._make_part_request(name, item))
            except GammondError as error:
                raise error.with_field(name_part_field(name, error, item.field_name)) from error
            self.is_partial |= not is_whole
            if part.needs_roll:
                self._count_plays(estimate_plays(item.position, item.roll or (1, 2)))

    def _make_part_request(self, name: str, item: QueryPosition) -> PartRequest:
        """Return a part for a position, with what reports it, if the query wants progress."""

        def report(effort: Mapping[str, object]) -> None:
            if self.query.progress_every:
                self._report({"want": name, **effort})

        match = item.match if item.roll is None else item.match.with_roll(item.roll)
        control = _PartControl(self.control, self.is_spent)
        where, own = (self.query, item.position, match), (self.engine, self.service, self.settings)
        return PartRequest(*where, *own, control, self._make_watch(name), report)

    def _count_plays(self, count: int) -> None:
        self.plays_left -= count
        if self.plays_left < 0:
            raise LimitError(
                "too many plays in all positions of one query: send several queries", field="positions"
            )

    def _rank_plays(self, item: QueryPosition) -> None:
        """Add the ranked plays, as text already: as objects they would take ten times the memory.

        Raises:
            CancelledWork: The query is over while a long list of plays at 0-ply is written.
        """
        assert item.roll is not None
        settings, watch, control = self.query.settings, self._make_watch(), self.control
        with error_field(item.field_name):
            ranked = self.engine.rank_plays(item.position, item.roll, item.match, settings, watch)
        self._count_plays(len(ranked))
        self.is_partial |= not ranked.effort.is_finished
        shown = min(len(ranked), self.query.max_moves or len(ranked))

        def encode(block: slice) -> list[bytes]:
            if settings.plies == 0 and block.start and self.is_spent():
                raise CancelledWork("the query is over")
            return [_encode_plays(ranked, block, item.match)]

        text = b"".join([b"[", b",".join(control.run_in_blocks(shown, encode)), b"]"])
        control.answer_bytes += len(text)
        item.result["moves"] = msgspec.Raw(text)
        if ranked.effort.is_stored:
            item.result["moves_stored"] = True


def _encode_plays(ranked: RankedPlays, block: slice, match: MatchState) -> bytes:
    """Write plays, with the position IDs of their results, as the items of a JSON list without brackets."""
    return msgspec.json.encode(plays_to_values(ranked, block, match, decimals=DECIMALS))[1:-1]
