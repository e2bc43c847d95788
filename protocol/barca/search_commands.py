"""The engine of Barca: evaluation, ranking of moves, and the choice of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from gammond.engine.analysis.levels import StoreUse
from gammond.engine.barca.evaluation import EvaluationVector, list_conditions, load_weights
from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.kernels.search import MAX_DEPTH
from gammond.engine.barca.moves import Move, format_move
from gammond.engine.barca.player import LEVELS, MAX_SEED, BarcaSearchPlayer, choose_by_merit, make_player
from gammond.engine.barca.position import BarcaPosition
from gammond.engine.barca.search import (
    SearchLimits,
    SearchLine,
    SearchResult,
    find_plies_to_end,
    search,
)
from gammond.engine.errors import StateError
from gammond.engine.options import Bounds, Field
from gammond.protocol.barca.game_commands import BarcaTable
from gammond.protocol.barca.kept_searches import KeptSearches
from gammond.protocol.barca.settings import ENGINE_PLAYER, HUMAN_PLAYER, BarcaSettings
from gammond.protocol.commands.command import Values
from gammond.protocol.core.arguments import parse_pairs
from gammond.protocol.core.limits import MAX_MOVETIME_MS
from gammond.protocol.core.replies import make_info_reply
from gammond.protocol.core.requests import Answer, Reply, ReplyValue, Task, Work, WorkControl
from gammond.protocol.state.service import Service
from gammond.protocol.state.session import Session

DEFAULT_MOVE_COUNT = 5
"""The number of moves that `moves` ranks."""

MAX_NODES = 10**12

LIMIT_FIELDS = (
    Field("depth", int, Bounds(1, MAX_DEPTH), meaning="plies of search, the move itself among them"),
    Field("movetime", int, Bounds(1, MAX_MOVETIME_MS), meaning="milliseconds"),
    Field("nodes", int, Bounds(1, MAX_NODES), meaning="positions"),
)
"""The limits of a search."""

LIMIT_NAMES = tuple(field.name for field in LIMIT_FIELDS)

_SHORTEST_S = 0.001
_LINE_BYTES = 120
_HEURISTICS = tuple(field.name for field in fields(EvaluationVector))
_FIRST_NUMBERS = (0, 4, 8, 9, 10, 11)
"""The heuristics of the evaluation vector, and where the numbers of each begin."""


@dataclass(frozen=True)
class BarcaSearch:
    """A search, captured when the request arrived.

    Attributes:
        service: Has the clock, and what finds and keeps searches to a depth.
        game: The game.
        weights: The name of the board evaluation vector.
        depth: Plies; None for no limit.
        nodes: Positions; None for no limit.
        deadline_s: When to answer, by the clock; None for never.
        count: How many moves are ranked.
        store: Which searches that are kept will do. With a limit of positions none is found, so that such a
            search always gives the same.
    """

    service: Service
    game: BarcaGame
    weights: str
    depth: int | None
    nodes: int | None
    deadline_s: float | None
    count: int
    store: StoreUse

    @property
    def is_late(self) -> bool:
        """Whether it is time to answer."""
        return self.deadline_s is not None and self.service.clock() >= self.deadline_s

    def run(self, control: WorkControl, *, reports: bool = True) -> SearchResult:
        """Search until a limit is reached or the work is stopped, or return what is kept.

        Args:
            control: Stops it, and takes an ``info`` line after each depth.
            reports: Whether it gets these.
        """
        depth = self.depth
        kept = None if self.store is StoreUse.OFF else self.service.share(KeptSearches)
        if kept is not None and depth is not None and self.nodes is None:
            takes_deeper = self.store is StoreUse.DEEPER
            known = kept.find(self.game, self.weights, self.count, depth, allow_deeper=takes_deeper)
            if known is not None:
                return known
        movetime_s = None
        if self.deadline_s is not None:
            movetime_s = max(self.deadline_s - self.service.clock(), _SHORTEST_S)
        limits = SearchLimits(self.depth, movetime_s, self.nodes, self.count)

        def report(result: SearchResult) -> None:
            control.report(make_info(result, result.lines[0]))

        on_info = report if reports else None
        found = search(self.game, limits, load_weights(self.weights), on_info, control.is_cancelled)
        if kept is not None and depth is not None:
            kept.keep(self.game, self.weights, self.count, depth, found)
        return found


def make_search(session: Session, game: BarcaGame, limits: Mapping[str, int], count: int = 1) -> BarcaSearch:
    """Capture a search with the settings of a session.

    Args:
        session: The client.
        game: The game.
        limits: Values of `LIMIT_FIELDS` that are given; without any the depth is that of the level.
        count: How many moves are ranked.
    """
    settings, service = session.get_table(BarcaTable).settings, session.service
    movetime, nodes, depth = (limits.get(name) for name in ("movetime", "nodes", "depth"))
    if movetime is None and nodes is None and depth is None:
        depth = LEVELS[settings.level].depth
    deadline_s = None if movetime is None else service.clock() + movetime / 1000
    store = session.engine_settings.store
    return BarcaSearch(service, game, settings.weights, depth, nodes, deadline_s, count, store)


def make_info(result: SearchResult, line: SearchLine) -> Reply:
    """Report a move and its line after a depth, in the words of UBGI."""
    about = {"depth": result.depth, "nodes": result.nodes, "time_ms": int(result.time_s * 1000), "multipv": 1}
    pv = " ".join(map(format_move, line.pv))
    return make_info_reply({**about, **score_to_values(line.score), "pv": pv})


def score_to_values(score: int) -> dict[str, ReplyValue]:
    """Return a score as keys: itself, and the moves to the end where that is known."""
    plies = find_plies_to_end(score)
    if plies is None:
        return {"score": score}
    return {"score": score, **({"win_in": (plies + 1) // 2} if plies > 0 else {"loss_in": -plies // 2})}


def line_to_values(line: SearchLine) -> dict[str, ReplyValue]:
    """Return a ranked move as keys."""
    return {
        "play": format_move(line.move),
        **score_to_values(line.score),
        "pv": " ".join(map(format_move, line.pv)),
    }


def evaluate_by_heuristic(position: BarcaPosition, weights: EvaluationVector) -> dict[str, ReplyValue]:
    """Return what each heuristic is worth for the side to move, and their sum as the score."""
    counts = list_conditions(position)
    own, other = counts[position.side], counts[1 - position.side]
    worth = (own - other) * weights.to_array()
    parts = dict(zip(_HEURISTICS, np.add.reduceat(worth, _FIRST_NUMBERS).tolist(), strict=True))
    return {"score": sum(parts.values()), **parts}


def handle_eval(session: Session, values: Values) -> Answer:
    """Evaluate the position: without look-ahead, or by a search within limits."""
    game = session.get_table(BarcaTable).require_unfinished()
    limits = {name: values[name] for name in LIMIT_NAMES if values[name] is not None}
    weights = session.get_table(BarcaTable).settings.weights
    if not limits:
        values = evaluate_by_heuristic(game.position, load_weights(weights))
        return [Reply("eval", values={**values, "depth": 0, "weights": weights})]
    request = make_search(session, game, limits)

    def run(control: WorkControl) -> list[Reply]:
        found = request.run(control)
        return [Reply("eval", values={**line_to_values(found.lines[0]), **_source_to_values(found, weights)})]

    return Work(run, is_long=True, deadline_s=request.deadline_s)


def handle_moves(session: Session, values: Values) -> Answer:
    """Rank the best moves."""
    game, count = session.get_table(BarcaTable).require_unfinished(), values["n"]
    limits = {name: values[name] for name in LIMIT_NAMES if values[name] is not None}
    request = make_search(session, game, limits, count=count)

    def run(control: WorkControl) -> list[Reply]:
        found = request.run(control)
        lines = [
            Reply("move", values={"rank": rank, **line_to_values(line)}, is_final=False)
            for rank, line in enumerate(found.lines, 1)
        ]
        values: dict[str, ReplyValue] = {"count": len(game.legal_moves()), "shown": len(lines)}
        return [*lines, Reply("moves", values=values | _source_to_values(found, request.weights))]

    return Work(run, is_long=True, deadline_s=request.deadline_s, answer_bytes=_LINE_BYTES * count)


def _source_to_values(found: SearchResult, weights: str) -> dict[str, ReplyValue]:
    """Return where an answer comes from as keys."""
    values: dict[str, ReplyValue] = {"depth": found.depth, "nodes": found.nodes, "weights": weights}
    if found.is_stored:
        values["stored"] = True
    return {**values, "stopped": True} if found.stopped else values


def plan_move(session: Session, limits_text: str = "") -> Task[str]:
    """Plan how the session's player chooses a move.

    Args:
        session: Has the game, and names the player and its level.
        limits_text: `LIMIT_FIELDS` of the search, as pairs.

    Raises:
        GammondError: There is no move to choose, people choose it, or the limits are none.
    """
    table = session.get_table(BarcaTable)
    game, settings = table.require_unfinished(), table.settings
    limits = parse_pairs(limits_text.split(), LIMIT_FIELDS, error_field="limits")
    check_player(settings.player)
    level = LEVELS[settings.level]
    own_limits = _limit_to_level(limits, level) if settings.player == ENGINE_PLAYER else {}
    request = make_search(session, game, own_limits, count=level.among)
    return Task(
        lambda control: format_move(choose_move(settings, request, control)),
        is_long=True,
        deadline_s=request.deadline_s,
    )


def check_player(name: str) -> None:
    """Check that a player decides by itself.

    Raises:
        StateError: It is a person.
    """
    if name == HUMAN_PLAYER:
        raise StateError("engine.player is human: send the player's move with 'play'", field="player")


def choose_move(
    settings: BarcaSettings, request: BarcaSearch, control: WorkControl, *, reports: bool = True
) -> Move:
    """Choose a move as a player does.

    Args:
        settings: Name the player, and the level and the seed of the engine.
        request: The game, and how the engine searches it; other players have their own limits.
        control: Stops the search, and takes its ``info`` lines.
        reports: Whether it gets these.
    """
    game = request.game
    if settings.player != ENGINE_PLAYER:
        return make_player(settings.player).choose(game, lambda: control.is_cancelled() or request.is_late)
    found = request.run(control, reports=reports and request.count == 1)
    move = choose_by_merit(found.lines, game, settings.seed % (MAX_SEED + 1))
    if reports and (request.count > 1 or found.is_stored):
        chosen = next(line for line in found.lines if line.move == move)
        control.report(make_info(found, chosen))
    return move


def _limit_to_level(limits: dict[str, int], level: BarcaSearchPlayer) -> dict[str, int]:
    """Add the depth of a level that chooses among several moves: more time must not make it stronger."""
    return limits if level.among == 1 or "depth" in limits else {**limits, "depth": level.depth}
