"""The strength of nets and players in training: paired games against players by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.formats.array_file import read_array
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.play.player import EvaluatorPlayer, Player
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from gammond.tools.common.net_records import StrengthRecord
from gammond.tools.common.opponents import load_opponent
from gammond.tools.parallel.executor import Executor
from gammond.tools.train.weights.net_set import NetSet

RANGE_GAMES = 1000
"""Games of a task; the result does not depend on it."""

_SEED = 1
"""Always the same dice, so that what is measured of two players differs by the players alone."""


OpponentsOption = Annotated[tuple[str, ...], Meta(description="opponents that measure strength")]
GamesOption = Annotated[int, Meta(ge=0, description="paired games against each of them; 0 for none")]
CheckpointGamesOption = Annotated[
    int, Meta(ge=0, description="paired games against each of them at a checkpoint; 0 for none")
]
BacktrackOption = Annotated[
    float,
    Meta(
        ge=0,
        le=6,
        description="points per game behind the best net that send a run back to it; 0 for never",
    ),
]
"""Settings of the commands that measure strength."""


ENDLESS = "endless"
"""Field of a log: how many games of a measurement did not end, by opponent."""


@dataclass(frozen=True, eq=False)
class BenchmarkGameRange:
    """Some games to play.

    Attributes:
        nets: Play.
        opponent: Against whom, as `gammond.tools.common.opponents.load_opponent` takes it.
        first_game: The number of the first game.
        games: How many, even.
        rules: The rules of the games.
    """

    nets: NetSet
    opponent: str
    first_game: int
    games: int
    rules: Rules


def check_benchmark(opponents: Sequence[str], games: int) -> None:
    """Check a measurement before long work begins.

    Raises:
        ValueRangeError: An odd number of games or fewer than four, none aside; an unknown opponent.
        GammondError: An opponent cannot be loaded.
    """
    if games and (games < 4 or games % 2):
        raise ValueRangeError(
            f"expected 0 games of a measurement, or an even number of 4 or more, got {games}", field="games"
        )
    for opponent in opponents if games else ():
        load_opponent(opponent)


def check_backtrack(backtrack: float, opponents: Sequence[str], games: int) -> None:
    """Check that a run which may go back to its best net measures which one that is.

    Raises:
        ValueRangeError: It does not.
    """
    if backtrack and not (games and opponents):
        raise ValueRangeError(
            "expected benchmark games and opponents: --backtrack needs the best measured net",
            field="backtrack",
        )


def load_opponents(names: Sequence[str], games: int) -> dict[str, Player]:
    """Load opponents by name; none for no games.

    Raises:
        GammondError: An opponent cannot be loaded.
    """
    return {name: load_opponent(name) for name in names if games}


def play_opponents(
    player: Player, opponents: Mapping[str, Player], games: int, rules: Rules = STANDARD_RULES
) -> dict[str, PairedScores]:
    """Play paired games by given rules against each opponent, by name."""
    return {
        name: play_games(player, opponent, games, _SEED, rules=rules, may_be_endless=True)
        for name, opponent in opponents.items()
    }


def measure_results(results: Mapping[str, PairedScores], **metrics: object) -> dict[str, Any]:
    """Describe, for the log, the strength of a player by its results against each opponent.

    Args:
        results: By opponent; the log gets the number of games that did not end, where there are any.
        metrics: More fields for the log.

    Returns:
        As `strengths_to_record`, and the further fields.
    """
    endless = {name: each.endless for name, each in results.items() if each.endless}
    strengths = [
        StrengthRecord(name, each.score.value, each.score.error, each.counted.games)
        for name, each in results.items()
        if each.counted.games
    ]
    return {**strengths_to_record(strengths), **metrics, **({ENDLESS: endless} if endless else {})}


def measure_player(
    player: Player, opponents: Sequence[str], games: int, rules: Rules = STANDARD_RULES
) -> dict[str, Any]:
    """Play against each opponent, by name, as `play_opponents`."""
    return measure_results(play_opponents(player, load_opponents(opponents, games), games, rules))


def measure_strength(
    nets: NetSet,
    opponents: Sequence[str],
    games: int,
    processes: Executor,
    rules: Rules = STANDARD_RULES,
) -> dict[str, Any]:
    """Play against each opponent, in several processes.

    Args:
        nets: Measured.
        opponents: As `gammond.tools.common.opponents.load_opponent` takes them.
        games: Paired games against each, even.
        processes: Play.
        rules: The rules of the games.
    """
    ranges = [
        BenchmarkGameRange(nets, opponent, start, min(RANGE_GAMES, games - start), rules)
        for opponent in opponents
        for start in range(0, games, RANGE_GAMES)
    ]
    results: dict[str, PairedScores] = {}
    for game_range, played in zip(ranges, processes.map(play_benchmark_range, ranges), strict=True):
        before = results.get(game_range.opponent)
        results[game_range.opponent] = played if before is None else before.concatenate(played)
    return measure_results(results)


def play_benchmark_range(game_range: BenchmarkGameRange) -> PairedScores:
    """Play some games; the results are those of the nets."""
    player = EvaluatorPlayer(game_range.nets.make_evaluator())
    opponent = _load_cached_opponent(game_range.opponent)
    first_pair, rules = game_range.first_game // 2, game_range.rules
    return play_games(
        player,
        opponent,
        game_range.games,
        _SEED,
        first_pair=first_pair,
        rules=rules,
        may_be_endless=True,
    )


def format_strengths(strengths: Sequence[StrengthRecord]) -> str:
    """Format strengths in a line."""
    return ", ".join(f"{each.points:+.3f} against {each.opponent}" for each in strengths)


def strengths_to_record(strengths: Sequence[StrengthRecord]) -> dict[str, Any]:
    """Describe strengths for a log: the first as a run of ``gammond train td`` does, the others in a list."""
    records = [
        {
            "opponent": each.opponent,
            "ppg": each.points_per_game,
            "ppg_error": each.standard_error,
            "ppg_games": each.games,
        }
        for each in strengths
    ]
    return {**records[0], "others": records[1:]} if records else {}


def strengths_from_record(record: Mapping[str, Any]) -> list[StrengthRecord]:
    """Read what `strengths_to_record` described; none where nothing was measured."""
    measured = (record, *record.get("others", ())) if "ppg" in record else ()
    return [
        StrengthRecord(each["opponent"], each["ppg"], each["ppg_error"], each["ppg_games"])
        for each in measured
    ]


def strengths_to_arrays(strengths: Sequence[StrengthRecord]) -> dict[str, NDArray[Any]]:
    """Describe strengths for a file of nets."""
    return {
        "opponent": np.array([each.opponent for each in strengths]),
        "ppg": np.array([each.points_per_game for each in strengths]),
        "ppg_error": np.array([each.standard_error for each in strengths]),
        "ppg_games": np.array([each.games for each in strengths]),
    }


def strengths_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> list[StrengthRecord]:
    """Read what `strengths_to_arrays` added to a file of nets; none where nothing was measured.

    Raises:
        DataFileError: One of them is missing, or has another shape.
    """
    if "opponent" not in arrays:
        return []
    shape = (arrays["opponent"].size,)
    columns = (read_array(arrays, name, shape) for name in ("opponent", "ppg", "ppg_error", "ppg_games"))
    return [StrengthRecord(*row) for row in zip(*(each.tolist() for each in columns), strict=True)]


@lru_cache(maxsize=4)
def _load_cached_opponent(name: str) -> Player:
    return load_opponent(name)
