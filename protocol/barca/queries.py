"""JSON queries about positions of Barca."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta

from gammond.engine.analysis.levels import StoreUse
from gammond.engine.barca.evaluation import WEIGHTS, WEIGHTS_FORM, load_weights
from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.kernels.search import MAX_DEPTH
from gammond.engine.barca.moves import format_move
from gammond.engine.barca.player import LEVELS
from gammond.engine.barca.search import MAX_LINES
from gammond.engine.errors import ValueRangeError
from gammond.engine.options import CHOICES, FORM
from gammond.protocol.barca.board_drawing import describe_pieces
from gammond.protocol.barca.game_commands import BarcaTable
from gammond.protocol.barca.search_commands import (
    DEFAULT_MOVE_COUNT,
    MAX_NODES,
    BarcaSearch,
    check_player,
    choose_move,
    evaluate_by_heuristic,
    line_to_values,
)
from gammond.protocol.barca.settings import VARIANT, find_player
from gammond.protocol.commands.move_game import START_WORD
from gammond.protocol.core.arguments import error_field
from gammond.protocol.core.requests import JsonReply, Work, WorkControl
from gammond.protocol.dialects.json_documents import (
    MAX_WANTS,
    PositionQuery,
    QueryReader,
    check_position_count,
    find_deadline,
    make_id_key,
    make_query_error,
)
from gammond.protocol.state.session import Session

Want = Literal["eval", "moves", "legal", "pieces", "bestmove"]

_MAX_QUICK_STEPS = 192
"""The most steps of a query that is answered in the thread that serves the clients."""

_RESULT_BYTES = 300
_MOVE_BYTES = 100
_PIECES_BYTES = 2000


class BarcaQuery(PositionQuery, kw_only=True):
    """The fields of a query, explained in docs/reference/barca-protocol.md; `QUERIES` reads them."""

    played: tuple[str, ...] = ()
    want: Annotated[tuple[Want, ...], Meta(min_length=1, max_length=MAX_WANTS)] = ("eval",)
    depth: Annotated[int, Meta(ge=0, le=MAX_DEPTH)] | None = None
    nodes: Annotated[int, Meta(ge=1, le=MAX_NODES)] | None = None
    max_moves: Annotated[int, Meta(ge=1, le=MAX_LINES)] = DEFAULT_MOVE_COUNT
    weights: Annotated[str, Meta(extra={CHOICES: WEIGHTS, FORM: WEIGHTS_FORM})] | None = None
    player: str | None = None
    store: Annotated[str, Meta(extra={CHOICES: tuple(map(str, StoreUse))})] | None = None

    @property
    def steps(self) -> int:
        """How much is to be read: about 1 for each move, and 3 for each position."""
        return sum(text.count(" ") + 2 for text in self.texts) + len(self.played)

    @property
    def searches(self) -> bool:
        """Whether its values come from a search."""
        return "moves" in self.want or bool(self.depth or self.nodes or self.time_ms)


QUERIES = QueryReader(
    BarcaQuery,
    {
        "played": "a list of moves",
        "want": f"a list of one or more of {', '.join(get_args(Want))}",
    },
    {"plies": "did you mean 'depth'?", "level": "did you mean 'player'?"},
    f" in {VARIANT}",
)
"""Reads queries."""


def answer_query(session: Session, document: dict[str, object], head: dict[str, object]) -> Work:
    """Answer a query, as `gammond.protocol.dialects.json_query.GameQueries` does."""
    query = QUERIES.read(document, head)
    check_position_count(query, session.service.limits.query_positions)
    if query.played and query.positions is not None:
        raise ValueRangeError("expected 'played' with 'position', got 'positions'", field="played")
    count, deadline_s = len(query.texts), find_deadline(query, session.service)
    is_long = query.searches or "bestmove" in query.want or query.steps > _MAX_QUICK_STEPS
    return Work(
        _QueryWork(session, query, head, deadline_s).run,
        priority=query.priority,
        key=make_id_key(query.id),
        make_error_reply=partial(make_query_error, head),
        is_long=is_long,
        deadline_s=deadline_s,
        is_quick=not is_long,
        size=query.steps * 3,
        answer_bytes=count
        * (
            _RESULT_BYTES
            + _MOVE_BYTES * query.max_moves * ("moves" in query.want)
            + _PIECES_BYTES * ("pieces" in query.want)
        ),
    )


class _QueryWork:
    """The work of a query that is in order; where it has no setting, those of the client hold."""

    def __init__(
        self, session: Session, query: BarcaQuery, head: dict[str, object], deadline_s: float | None
    ) -> None:
        self._query, self._head = query, head
        settings = session.get_table(BarcaTable).settings
        self._weights = query.weights or settings.weights
        load_weights(self._weights)
        with error_field("player"):
            player = find_player(session.service, query.player or settings.player)
            if "bestmove" in query.want:
                check_player(player)
        self._settings = replace(settings, weights=self._weights, player=player)
        self._service, self._deadline_s = session.service, deadline_s
        self._store = session.engine_settings.store if query.store is None else StoreUse(query.store)
        self._is_cut = False

    def run(self, control: WorkControl) -> list[JsonReply]:
        """Answer for one position after the other, until a stop or the deadline."""
        query, games = self._query, list[BarcaGame]()
        for place, text in enumerate(query.texts):
            with error_field(query.name_position(place)):
                game = BarcaTable.parse_game(text or START_WORD if query.positions is None else text)
            with error_field("played"):
                games.append(BarcaTable.play_moves(game, query.played))
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
        query, result = self._query, dict[str, Any](BarcaTable.describe_game(game))
        if query.searches and {"eval", "moves"} & set(query.want) and game.result is None:
            count = query.max_moves if "moves" in query.want else 1
            request = self._search(game, count)
            found = request.run(control, reports=False)
            self._is_cut = self._is_cut or control.is_stopped or (request.is_late and found.stopped)
            lines = [line_to_values(line) for line in found.lines]
            if "eval" in query.want:
                stored = {"stored": True} if found.is_stored else {}
                result["eval"] = {**lines[0], "depth": found.depth, "nodes": found.nodes, **stored}
            if "moves" in query.want:
                result["moves"] = lines
                if found.is_stored:
                    result["moves_stored"] = True
        elif "eval" in query.want:
            values = evaluate_by_heuristic(game.position, load_weights(self._weights))
            result["eval"] = {**values, "depth": 0}
        if "moves" in query.want:
            result.setdefault("moves", [])
        if "bestmove" in query.want and game.result is None:
            level = LEVELS[self._settings.level]
            request = self._search(game, level.among, level.depth, is_fixed=level.among > 1)
            move = choose_move(self._settings, request, control, reports=False)
            self._is_cut = self._is_cut or control.is_cancelled() or request.is_late
            result["bestmove"] = format_move(move)
        if "legal" in query.want:
            result["legal"] = [format_move(move) for move in game.legal_moves()]
        if "pieces" in query.want:
            result["pieces"] = describe_pieces(game.position)
        return result

    def _search(self, game: BarcaGame, count: int, depth: int = 1, *, is_fixed: bool = False) -> BarcaSearch:
        """Return the search for some moves, to a depth that other limits replace unless it is fixed."""
        query = self._query
        has_limit = query.nodes is not None or query.time_ms is not None
        limit = query.depth or (None if has_limit and not is_fixed else depth)
        limits = limit, query.nodes, self._deadline_s
        return BarcaSearch(self._service, game, self._weights, *limits, count, self._store)
