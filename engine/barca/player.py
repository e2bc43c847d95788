"""Players of Barca, and the choice among the best few moves."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import asdict
from numpy.typing import NDArray

from gammond.engine.barca.evaluation import (
    DEFAULT_WEIGHTS,
    WEIGHTS,
    WEIGHTS_FORM,
    EvaluationVector,
    load_weights,
)
from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.kernels.search import MAX_DEPTH
from gammond.engine.barca.moves import Move
from gammond.engine.barca.search import MAX_LINES, SearchLimits, SearchLine, find_plies_to_end, search
from gammond.engine.errors import StateError, ValueRangeError
from gammond.engine.options import CHOICES, FORM, Field, convert, list_fields, parse_options

MAX_SEED = 2**31 - 1

_MIN_WEIGHT = 0.01
"""Added to the merit of each move, as a share of the lead of the best over the last."""


class BarcaSearchPlayer(Struct, frozen=True):
    """Plays the best move that a search finds, or one of the few best by merit.

    Its fields are options, of which one has to end its searches.
    """

    depth: Annotated[int, Meta(ge=0, le=MAX_DEPTH, description="plies of search, 0 for no limit")] = 0
    movetime: Annotated[float, Meta(ge=0.0, le=3600.0, description="seconds a move, 0 for no limit")] = 0.0
    nodes: Annotated[int, Meta(ge=0, le=10**12, description="positions a move, 0 for no limit")] = 0
    among: Annotated[
        int, Meta(ge=1, le=MAX_LINES, description="number of best moves to choose among by merit")
    ] = 1
    weights: Annotated[
        str, Meta(extra={CHOICES: WEIGHTS, FORM: WEIGHTS_FORM}, description="board evaluation vector")
    ] = DEFAULT_WEIGHTS
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="seed of its choices")] = 0

    @property
    def vector(self) -> EvaluationVector:
        """The board evaluation vector."""
        return load_weights(self.weights)

    @property
    def limits(self) -> SearchLimits:
        """When its searches end, and how many moves they rank."""
        return SearchLimits(self.depth or None, self.movetime or None, self.nodes or None, self.among)

    def choose(self, game: BarcaGame, should_stop: Callable[[], bool] | None = None) -> Move:
        """Choose a move: without a time, always the same one in the same game.

        Args:
            game: The game so far.
            should_stop: Ends the search early when it returns true.

        Raises:
            StateError: The game is over.
        """
        found = search(game, self.limits, self.vector, should_stop=should_stop)
        return choose_by_merit(found.lines, game, self.seed)


class BarcaRandomPlayer(Struct, frozen=True):
    """Plays any legal move."""

    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="seed of its choices")] = 0

    def choose(self, game: BarcaGame, should_stop: Callable[[], bool] | None = None) -> Move:
        """Choose a move, as `BarcaSearchPlayer.choose`: always the same one in the same game."""
        moves = game.legal_moves()
        if not moves:
            raise StateError("the game is over: there is no move to choose")
        return moves[int(_draw_number(game, self.seed) * len(moves))]


BarcaPlayer = BarcaSearchPlayer | BarcaRandomPlayer

LEVELS: Mapping[str, BarcaSearchPlayer] = MappingProxyType(
    {
        "easy": BarcaSearchPlayer(depth=1, among=5),
        "medium": BarcaSearchPlayer(depth=3, among=5),
        "hard": BarcaSearchPlayer(depth=5),
    }
)
"""Levels by name, weakest first; docs/lab/barca.md has what they score.

*Source:* the technology page of the Barca project, which has Easy, Medium and Hard, searches three plies at
most and chooses among five; it does not say how the levels differ."""

DEFAULT_LEVEL = "hard"


def compute_choice_weights(scores: Sequence[int]) -> NDArray[np.float64]:
    """Compute the probabilities of moves by their merit.

    The merit of a move is its lead over the last one, plus a hundredth of the lead of the best, so that all
    are positive. Its probability is in proportion to its merit and those of all worse moves together, so that
    better moves have more than their merit. Moves that lose by force have none if others do not.

    *Source:* the technology page of the Barca project, section "Move Randomization": five moves, made all
    positive and sorted in ascending order ("giving additional incentives" to the best), then the probability
    of each "is incremented by the board evaluation". It does not say how they are made positive, nor what
    becomes of moves that lose.

    Args:
        scores: Best first, at least one.

    Returns:
        ``float64[n]``, which sum to 1.
    """
    points = np.asarray(scores, np.float64)
    is_lost = np.array([(find_plies_to_end(score) or 0) < 0 for score in scores])
    kept = points if is_lost.all() else points[~is_lost]
    spread = kept[0] - kept[-1]
    merits = kept - kept[-1] + (_MIN_WEIGHT * spread if spread > 0 else 1.0)
    weights = np.cumsum(merits[::-1])[::-1] if spread > 0 else merits
    shares = np.zeros(len(points))
    shares[: len(kept)] = weights / weights.sum()
    return shares


def choose_by_merit(lines: Sequence[SearchLine], game: BarcaGame, seed: int) -> Move:
    """Choose one of the best moves by `compute_choice_weights`.

    Args:
        lines: Best first.
        game: The game so far; with the seed it makes the choice.
        seed: 0 or more.
    """
    if len(lines) == 1:
        return lines[0].move
    shares = compute_choice_weights([line.score for line in lines])
    place = int(np.searchsorted(np.cumsum(shares), _draw_number(game, seed), side="right"))
    return lines[min(place, len(lines) - 1)].move


def make_player(text: str) -> BarcaPlayer:
    """Make a player from its name, with options after a colon: ``hard``, ``search:depth=4,seed=1``.

    Args:
        text: A level, ``search`` or ``random``; a level has the options of ``search``.

    Raises:
        FormatError: An option is malformed.
        ValueRangeError: There is no such player, or an option is out of range.
    """
    name, colon, rest = text.partition(":")
    if name not in PLAYER_KINDS:
        raise ValueRangeError(f"expected one of {'|'.join(PLAYER_KINDS)}, got {name[:40]!r}", field="player")
    defaults = PLAYER_KINDS[name].player
    given = parse_options(rest, list_fields(type(defaults)), name) if colon else {}
    player = convert({**asdict(defaults), **given}, type(defaults))
    if isinstance(player, BarcaSearchPlayer):
        load_weights(player.weights)
        if not (player.depth or player.movetime or player.nodes):
            raise ValueRangeError("expected depth, movetime or nodes above 0, got none", field="depth")
    return player


@dataclass(frozen=True)
class BarcaPlayerKind:
    """What a player's name means before the colon.

    Attributes:
        name: The name.
        summary: A phrase in lower case, without full stop.
        player: The player of the name alone, whose options those after the colon change.
    """

    name: str
    summary: str
    player: BarcaPlayer

    @property
    def fields(self) -> tuple[Field, ...]:
        """The options, with the defaults of this name."""
        fields = list_fields(type(self.player))
        return tuple(replace(each, default=getattr(self.player, each.name)) for each in fields)


PLAYER_KINDS: Mapping[str, BarcaPlayerKind] = {
    kind.name: kind
    for kind in (
        BarcaPlayerKind("easy", "one of the five best moves at depth 1", LEVELS["easy"]),
        BarcaPlayerKind("medium", "one of the five best moves at depth 3", LEVELS["medium"]),
        BarcaPlayerKind("hard", "the best move at depth 5", LEVELS["hard"]),
        BarcaPlayerKind("search", "the best move of a search, or one of the best few", BarcaSearchPlayer()),
        BarcaPlayerKind("random", "any legal move, all equally likely", BarcaRandomPlayer()),
    )
}
"""What `make_player` makes, by name."""


def _draw_number(game: BarcaGame, seed: int) -> float:
    """Return a number in 0..1 (below 1) that depends on the position, the number of moves and the seed."""
    text = game.position.key + len(game.history).to_bytes(4) + seed.to_bytes(4)
    return int.from_bytes(hashlib.blake2b(text, digest_size=6).digest()) / 2**48
