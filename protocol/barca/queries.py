"""JSON queries about positions of Barca."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal, get_args

import msgspec

from engine.barca.evaluation import WEIGHTS, load_weights
from engine.barca.game import BarcaGame
from engine.barca.kernels.search import MAX_DEPTH
from engine.barca.notation import format_move
from engine.barca.search import MAX_LINES
from engine.errors import FormatError, GammondError, LimitError, ValueRangeError
from engine.options import Bounds, Field, convert, did_you_mean
from protocol.barca.game_commands import START_WORD, parse_game, play_moves
from protocol.barca.search_commands import (
    DEFAULT_MOVE_COUNT,
    MAX_NODES,
    BarcaSearch,
    evaluate_by_heuristic,
    line_to_values,
)
from protocol.barca.settings import VARIANT
from protocol.barca.table import BarcaTable, game_to_values
from protocol.core.arguments import error_field
from protocol.core.limits import MAX_MOVETIME_MS
from protocol.core.requests import JsonReply, Work, WorkControl
from protocol.dialects.json_documents import make_id_key, make_query_error, quote_json
from protocol.state.session import Session

Want = Literal["eval", "moves", "legal"]
WANTS: tuple[str, ...] = get_args(Want)

SCALAR_FIELDS: dict[str, Field] = {
    field.name: field
    for field in (
        Field("action", str, choices=("query",)),
        Field("variant", str),
        Field("position", str),
        Field("depth", int, Bounds(0, MAX_DEPTH)),
        Field("nodes", int, Bounds(1, MAX_NODES)),
        Field("time_ms", int, Bounds(1, MAX_MOVETIME_MS)),
        Field("max_moves", int, Bounds(1, MAX_LINES)),
        Field("weights", str, choices=WEIGHTS),
        Field("priority", int, Bounds(-100, 100)),
    )
}
LIST_FIELDS: dict[str, str] = {
    "id": "a string of 1 to 256 characters or a whole number",
    "positions": "a list of one or more strings",
    "played": "a list of moves",
    "want": f"a list of one or more of {', '.join(WANTS)}",
}
"""The values of ids and lists, as messages name them."""

_MAX_QUICK_STEPS = 192
"""The most steps of a query that is answered in the thread that serves the clients."""

_RESULT_BYTES = 300
_MOVE_BYTES = 100


class BarcaQuery(msgspec.Struct, kw_only=True):
    """The fields of a query, explained in docs/reference/barca-protocol.md; `SCALAR_FIELDS` has bounds."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=256)] | int
    action: str = "query"
    variant: str | None = None
    position: str | None = None
    positions: Annotated[list[str], msgspec.Meta(min_length=1)] | None = None
    played: list[str] = []
    want: Annotated[tuple[Want, ...], msgspec.Meta(min_length=1)] = ("eval",)
    depth: int | None = None
    nodes: int | None = None
    time_ms: int | None = None
    max_moves: int = DEFAULT_MOVE_COUNT
    weights: str | None = None
    priority: int = 0

    @property
    def texts(self) -> list[str]:
        """The positions, as they were sent."""
        return [self.position or ""] if self.positions is None else self.positions

    @property
    def steps(self) -> int:
        """How much is to be read: about 1 for each move, and 3 for each position."""
        return sum(text.count(" ") + 2 for text in self.texts) + len(self.played)

    @property
    def searches(self) -> bool:
        """Whether it needs a search."""
        return "moves" in self.want or bool(self.depth or self.nodes or self.time_ms)


QUERY_FIELDS: tuple[str, ...] = tuple(field.name for field in msgspec.structs.fields(BarcaQuery))


def answer_query(session: Session, document: dict[str, object], head: dict[str, object]) -> Work:
    """Answer a query, as `protocol.dialects.json_query.GameQueries`."""
    query = _read_query(document)
    unknown = sorted(set(document) - set(QUERY_FIELDS))
    if unknown:
        head["warnings"] = [
            f"unknown field {name!r} in {VARIANT}{did_you_mean(name, QUERY_FIELDS)}" for name in unknown
        ]
    _check_positions(query, session.service.limits.query_positions)
    clock, settings = session.service.clock, session.get_table(BarcaTable).settings
    deadline_s = None if query.time_ms is None else clock() + query.time_ms / 1000
    weights, count = query.weights or settings.weights, len(query.texts)
    is_long = query.searches or query.steps > _MAX_QUICK_STEPS
    return Work(
        _QueryWork(query, head, weights, deadline_s, clock).run,
        query.priority,
        make_id_key(query.id),
        partial(make_query_error, head),
        is_long=is_long,
        deadline_s=deadline_s,
        is_quick=not is_long,
        size=query.steps * 3,
        answer_bytes=count * (_RESULT_BYTES + _MOVE_BYTES * query.max_moves * ("moves" in query.want)),
    )


class _QueryWork:
    """The work of a query that is in order.

    Args:
        query: The query.
        head: What the answer begins with.
        weights: The name of the board evaluation vector.
        deadline_s: When to answer, by the clock; None for never.
        clock: Seconds.
    """

    def __init__(
        self,
        query: BarcaQuery,
        head: dict[str, object],
        weights: str,
        deadline_s: float | None,
        clock: Callable[[], float],
    ) -> None:
        self._query, self._head, self._weights = query, head, weights
        self._deadline_s, self._clock = deadline_s, clock
        self._is_cut = False

    def run(self, control: WorkControl) -> list[JsonReply]:
        """Answer for one position after the other, until a stop or the deadline."""
        query, games = self._query, list[BarcaGame]()
        for place, text in enumerate(query.texts):
            field = "position" if query.positions is None else f"positions[{place}]"
            with error_field(field):
                game = parse_game(text or START_WORD if query.positions is None else text)
            with error_field("played"):
                games.append(play_moves(game, query.played))
        results = list[dict[str, Any]]()
        for game in games:
            if self._is_cut or control.is_cancelled():
                self._is_cut = True
                break
            results.append(self._answer_one(game, control))
        document = {**self._head, "final": True, "variant": VARIANT, "weights": self._weights}
        document["results"] = results
        return [JsonReply({**document, "stopped": True} if self._is_cut else document)]

    def _answer_one(self, game: BarcaGame, control: WorkControl) -> dict[str, Any]:
        query, result = self._query, dict[str, Any](game_to_values(game))
        if query.searches and {"eval", "moves"} & set(query.want) and game.result is None:
            found = self._search(game).run(control, reports=False)
            self._is_cut = self._is_cut or control.is_stopped
            if self._deadline_s is not None and self._clock() >= self._deadline_s:
                self._is_cut = self._is_cut or found.stopped
            lines = [line_to_values(line) for line in found.lines]
            if "eval" in query.want:
                result["eval"] = {**lines[0], "depth": found.depth, "nodes": found.nodes}
            if "moves" in query.want:
                result["moves"] = lines
        elif "eval" in query.want:
            values = evaluate_by_heuristic(game.position, load_weights(self._weights))
            result["eval"] = {**values, "depth": 0}
        if "moves" in query.want:
            result.setdefault("moves", [])
        if "legal" in query.want:
            result["legal"] = [format_move(move) for move in game.legal_moves()]
        return result

    def _search(self, game: BarcaGame) -> BarcaSearch:
        query = self._query
        has_limit = query.nodes is not None or query.time_ms is not None
        depth = query.depth or (None if has_limit else 1)
        count = query.max_moves if "moves" in query.want else 1
        return BarcaSearch(game, self._weights, depth, query.nodes, self._deadline_s, self._clock, count)


def _read_query(document: dict[str, object]) -> BarcaQuery:
    """Convert an object into a query.

    Raises:
        FormatError: A field has another type, or there is no id.
        ValueRangeError: A value is out of range.
    """
    for name, field in SCALAR_FIELDS.items():
        if document.get(name) is not None:
            field.check(document[name])
    given = {name: value for name, value in document.items() if value is not None}
    try:
        return convert(given, BarcaQuery)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$.")
        name = place.rstrip("`]").partition("[")[0]
        name = name or next((each for each in QUERY_FIELDS if f"`{each}`" in message), "line")
        came = f"got {quote_json(document[name])}" if name in document else "but it is missing"
        expected = LIST_FIELDS.get(name, "a query")
        raise FormatError(f"expected {expected} for {name}, {came}", field=name) from error


def _check_positions(query: BarcaQuery, cap: int) -> None:
    """Check that one field has positions, no more than the cap, and that moves follow one position.

    Raises:
        GammondError: It is not so.
    """
    fault: GammondError | None = None
    if (query.position is None) == (query.positions is None):
        came = "neither" if query.position is None else "both"
        fault = ValueRangeError(f"expected either 'position' or 'positions', got {came}", field="positions")
    elif query.played and query.positions is not None:
        fault = ValueRangeError("expected 'played' with 'position', got 'positions'", field="played")
    elif len(query.texts) > cap:
        fault = LimitError(
            f"expected at most {cap} positions, got {len(query.texts)}: send several queries",
            field="positions",
        )
    if fault is not None:
        raise fault
