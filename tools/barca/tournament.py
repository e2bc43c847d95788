"""Barca as tournaments play it: pairs of games from the same opening, each side White once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeGuard

import numpy as np

from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.player import BarcaPlayer, BarcaSearchPlayer, make_player
from gammond.engine.errors import CancelledWork, UnsupportedError
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.rules.rules import Doubles
from gammond.engine.rules.seeded_random import check_seed
from gammond.tools.barca.self_play import MAX_PLIES, VectorGames, draw_opening
from gammond.tools.barca.weights import find_weights_file, read_run_weights
from gammond.tools.tournament.entrants import Entrant, check_players
from gammond.tools.tournament.games import PairingTask
from gammond.tools.tournament.options import TournamentOptions

_RUN_WEIGHTS = re.compile(r"(?<=[:,]weights=)run:[^,]+")

_MAX_CACHED_PLAYERS = 64


@lru_cache(_MAX_CACHED_PLAYERS)
def load_player(name: str) -> BarcaPlayer:
    """Load a player, once per process.

    Args:
        name: As `gammond.engine.barca.player.make_player` takes it; ``weights=run:FOLDER`` names those of a
            run.

    Raises:
        FormatError: An option cannot be read.
        ValueRangeError: No player has this name, or an option is out of range.
        DataFileError: The run has no weights.
    """
    run = _RUN_WEIGHTS.search(name)
    if run is None:
        return make_player(name)
    return make_player(name[: run.start()] + read_run_weights(run[0]).to_text() + name[run.end() :])


def _has_fixed_depth(player: BarcaPlayer) -> TypeGuard[BarcaSearchPlayer]:
    """Return whether a player makes the best move at a fixed depth."""
    return isinstance(player, BarcaSearchPlayer) and not (
        player.depth == 0 or player.movetime or player.nodes or player.among > 1
    )


def find_run_file(name: str) -> Path | None:
    """Return the file with the weights of a run that a player has; None for one without."""
    run = _RUN_WEIGHTS.search(name)
    return None if run is None else find_weights_file(run[0])


OPENING_MOVES = 4
"""Moves at random that begin each game, so that games differ."""

_GAMES_PER_RANGE = 16

_BACKGAMMON_OPTIONS = {
    "home_bound": False,
    "cubeful": False,
    "match": None,
    "cube_by": "",
    "doubles": Doubles.FOUR.value,
    "records": None,
}
"""Options of the command that Barca does not have -> their defaults."""


@dataclass(frozen=True)
class BarcaRules:
    """What all pairs of players play, `gammond.tools.tournament.games.GameRules`.

    Attributes:
        seed: Of the openings, 0 or more.

    Raises:
        ValueRangeError: The seed is negative.
    """

    seed: int = 1

    name = "games of Barca"
    game_noun = "games"
    score_unit = "points per game"
    has_gammons = False

    def __post_init__(self) -> None:
        check_seed(self.seed)

    @property
    def remarks(self) -> list[str]:
        """How games begin."""
        return [f"{OPENING_MOVES} random moves begin both games of a pair; a draw counts 0"]

    def to_record(self) -> dict[str, object]:
        """Return all fields by their names in reports and results files."""
        return {"variant": "barca", "seed": self.seed, "openings": OPENING_MOVES}

    def choose_games_per_range(self, *, is_deep: bool, is_sequential: bool) -> int:
        """Return how many games a range has."""
        return _GAMES_PER_RANGE

    def load_entrants(self, names: Sequence[str]) -> list[Entrant]:
        """Load all players, as `GameRules.load_entrants`."""
        check_players(names)
        return [_make_entrant(name) for name in names]

    def load_helpers(self, names: Sequence[str]) -> list[Entrant]:
        """Return nobody: all players decide for themselves."""
        return []

    def play_range(
        self,
        task: PairingTask,
        progress: Callable[[int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> PairedScores:
        """Play the games of a task, as `GameRules.play_range`."""
        first, second = (load_player(name) for name in task.names)
        seats = first, second
        begin, count = task.game_range
        values, lengths = np.zeros(count), np.zeros(count, np.int32)
        for game in range(count):
            number = begin + game
            white, black = seats if number % 2 == 0 else seats[::-1]
            winner, lengths[game] = _play_game(white, black, [self.seed, number // 2], cancelled)
            if winner is not None:
                values[game] = 1.0 if winner == number % 2 else -1.0
            if progress is not None:
                progress(game + 1)
        return PairedScores(values, values.astype(np.int8), lengths)


def read_rules(options: TournamentOptions) -> BarcaRules:
    """Return the rules that the options ask for.

    Raises:
        UnsupportedError: An option belongs to backgammon.
    """
    for name, default in _BACKGAMMON_OPTIONS.items():
        if getattr(options, name) != default:
            shown = name.replace("_", "-")
            raise UnsupportedError(f"--{shown} is for backgammon: remove it for barca", field=name)
    return BarcaRules(options.seed)


def _make_entrant(name: str) -> Entrant:
    player, file = load_player(name), find_run_file(name)
    nets = {} if file is None else {file.as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()}
    return Entrant(name, name, nets, isinstance(player, BarcaSearchPlayer))


def _play_game(
    white: BarcaPlayer, black: BarcaPlayer, seed: Sequence[int], cancelled: Callable[[], bool] | None
) -> tuple[int | None, int]:
    """Play a game from an opening with a seed.

    Returns:
        The side that won, None for a draw; and the moves of the game. One that goes on for `MAX_PLIES` moves
        is a draw.

    Raises:
        CancelledWork: `cancelled` returned True.
    """
    opening = draw_opening(OPENING_MOVES, np.random.default_rng(seed))
    if _has_fixed_depth(white) and _has_fixed_depth(black):
        _check_cancelled(cancelled)
        played = VectorGames(white, black, cancelled).play(opening, OPENING_MOVES)
        return played.winner, played.plies
    game, plies = BarcaGame.from_position(opening), OPENING_MOVES
    while game.result is None and plies < MAX_PLIES:
        _check_cancelled(cancelled)
        game = game.play((white, black)[game.position.side].choose(game, cancelled))
        plies += 1
    return (None if game.result is None else game.result.winner), plies


def _check_cancelled(cancelled: Callable[[], bool] | None) -> None:
    if cancelled is not None and cancelled():
        raise CancelledWork("the games were stopped")
