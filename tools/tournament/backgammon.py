"""Backgammon and its variants as tournaments play them: games without or with the cube, matches, races.

Games without the cube run in lockstep, games with it one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

import numpy as np

from gammond.engine.errors import UnsupportedError, ValueRangeError
from gammond.engine.match_files.model import RecordedGame
from gammond.engine.play.cube_games import GameDice, play_game, play_match
from gammond.engine.play.decider import Decider
from gammond.engine.play.lockstep import GAME_OVER, HOME_BOUND, EndlessGameError, play_games
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.rules.dice import Roll, draw_paired_dice
from gammond.engine.rules.match import MAX_MATCH_LENGTH, MatchState
from gammond.engine.rules.rules import STANDARD_RULES, VARIANTS, Doubles, Feature, Rules
from gammond.engine.rules.seeded_random import check_seed
from gammond.tools.tournament.entrants import (
    Entrant,
    check_players,
    load_cached_player,
    load_cube_player,
    load_entrant,
)
from gammond.tools.tournament.games import DEFAULT_VARIANT, GameRange, PairingTask
from gammond.tools.tournament.options import TournamentOptions
from gammond.tools.tournament.records import LockstepLog, write_records

GAMES_PER_RANGE = 4096
"""Games in a range; an interrupted run reports the ranges finished by then."""

SEQUENTIAL_GAMES_PER_RANGE = 1024
"""The same where a sequential test may stop a pair early."""

DEEP_GAMES_PER_RANGE = 16
"""The same with the cube, or where a player looks ahead or errs: it plays no faster in lockstep."""

_GAMES_APART = 2**40
"""Distance between the dice of successive games of a match, in pairs of games."""

_STARTER_TURN = 2**40
"""The turn whose dice decide who starts a game of a match, beyond all that are played."""

_MONEY = MatchState(beavers=False)


class TournamentMode(StrEnum):
    """Kinds of tournaments."""

    CUBELESS = "cubeless"
    HOME_BOUND = "home-bound"
    CUBEFUL = "cubeful"
    MATCH = "match"

    @property
    def has_cube(self) -> bool:
        """Whether players need cube decisions."""
        return self in (TournamentMode.CUBEFUL, TournamentMode.MATCH)


_NAMES = {
    TournamentMode.CUBELESS: "games",
    TournamentMode.HOME_BOUND: "games until both are home bound",
    TournamentMode.CUBEFUL: "money games with the cube",
    TournamentMode.MATCH: "matches to {}",
}

_UNITS = {
    TournamentMode.CUBELESS: "points per game",
    TournamentMode.HOME_BOUND: "pips per game",
    TournamentMode.CUBEFUL: "points per game",
    TournamentMode.MATCH: "matches won minus matches lost, per match",
}


@dataclass(frozen=True)
class TournamentRules:
    """What all pairs of players play, `gammond.tools.tournament.games.GameRules`.

    Attributes:
        mode: The kind of games.
        seed: Of the dice, 0 or more.
        length: Points of a match; 0 unless the mode is `TournamentMode.MATCH`.
        cube_by: The evaluator that makes the cube decisions of players without their own; empty for none.
        game: The rules of the games.

    Raises:
        ValueRangeError: The seed is negative, or a match is not 1 to `MAX_MATCH_LENGTH` points long.
        UnsupportedError: `cube_by` without a cube, or a cube that the rules do not support.
    """

    mode: TournamentMode = TournamentMode.CUBELESS
    seed: int = 1
    length: int = 0
    cube_by: str = ""
    game: Rules = STANDARD_RULES

    def __post_init__(self) -> None:
        check_seed(self.seed)
        is_match = self.mode is TournamentMode.MATCH
        if is_match and not 1 <= self.length <= MAX_MATCH_LENGTH:
            raise ValueRangeError(
                f"match length: expected 1 to {MAX_MATCH_LENGTH} points, got {self.length}", field="match"
            )
        if self.cube_by and not self.mode.has_cube:
            raise UnsupportedError("--cube-by needs a cube: add --cubeful or --match", field="cube_by")
        if self.mode.has_cube:
            self.game.check_supports(Feature.CUBE)

    @property
    def name(self) -> str:
        """The name in reports."""
        variant = "" if self.game == STANDARD_RULES else f" of {self.game.name}"
        return f"{_NAMES[self.mode].format(self.length)}{variant}"

    @property
    def game_noun(self) -> str:
        """The word for what is counted: games or matches."""
        return "matches" if self.mode is TournamentMode.MATCH else "games"

    @property
    def score_unit(self) -> str:
        """The unit of scores."""
        return _UNITS[self.mode]

    @property
    def has_gammons(self) -> bool:
        """Whether games can be won as gammons."""
        return self.mode in (TournamentMode.CUBELESS, TournamentMode.CUBEFUL)

    @property
    def remarks(self) -> list[str]:
        """Who makes the cube decisions, where a player cannot."""
        return [f"cube decisions by {self.cube_by} for players without their own"] if self.cube_by else []

    def to_record(self) -> dict[str, object]:
        """Return all fields by the names that reports and results files have for them.

        The variant is left out where it is `DEFAULT_VARIANT`.
        """
        variant = self.game.variant.name
        return {
            "mode": self.mode,
            "seed": self.seed,
            "length": self.length,
            "cube_by": self.cube_by,
            "doubles": self.game.doubles,
            **({} if variant == DEFAULT_VARIANT else {"variant": variant}),
        }

    def choose_games_per_range(self, *, is_deep: bool, is_sequential: bool) -> int:
        """Return how many games a range has, as `GameRules.choose_games_per_range`."""
        if is_deep or self.mode.has_cube:
            return DEEP_GAMES_PER_RANGE
        return SEQUENTIAL_GAMES_PER_RANGE if is_sequential else GAMES_PER_RANGE

    def load_entrants(self, names: Sequence[str]) -> list[Entrant]:
        """Load all players once, as `GameRules.load_entrants`.

        Raises:
            ValueRangeError: As `check_players`.
            UnsupportedError: A player cannot play by these rules.
            GammondError: As `gammond.tools.common.opponents.load_opponent`, and `load_cube_player` where the
                cube is in play.
        """
        check_players(names)
        for name in names:
            if self.mode.has_cube:
                load_cube_player(name, self.cube_by).with_rules(self.game)
            else:
                load_cached_player(name).with_rules(self.game)
        entrants = [load_entrant(name) for name in names]
        return [replace(each, nets={}) for each in entrants] if self.game.variant.is_solved else entrants

    def load_helpers(self, names: Sequence[str]) -> list[Entrant]:
        """Return the player that makes cube decisions for others, if it does not play itself."""
        return [load_entrant(self.cube_by)] if self.cube_by not in ("", *names) else []

    def play_range(
        self,
        task: PairingTask,
        progress: Callable[[int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> PairedScores:
        """Play the games of a task, as `GameRules.play_range`."""
        first_game, games = task.game_range
        if self.mode.has_cube:
            first, second = (load_cube_player(name, self.cube_by) for name in task.names)
            played = self.play_with_cube((first, second), task.game_range, progress, cancelled)
            scores = score_cubeful_games(played, self.mode)
        else:
            log = None if task.records is None else LockstepLog(games, self.game)
            own, other = map(load_cached_player, task.names)
            scores = play_games(
                own,
                other,
                games,
                self.seed,
                rules=self.game,
                first_pair=first_game // 2,
                ending=HOME_BOUND if self.mode is TournamentMode.HOME_BOUND else GAME_OVER,
                may_be_endless=True,
                log=log,
                progress=progress,
                cancelled=cancelled,
            )
            played = [[game] for game in log.make_records(scores)] if log is not None else []
        if task.records is not None:
            is_match = self.mode is TournamentMode.MATCH
            files = played if is_match else [[game for games in played for game in games]]
            write_records(task, task.records, files)
        return scores

    def play_with_cube(
        self,
        players: tuple[Decider, Decider],
        game_range: GameRange,
        progress: Callable[[int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> list[list[RecordedGame]]:
        """Play a range of games with the cube, one after the other.

        Money games have neither beavers nor the Jacoby rule. Turn t of game g of both halves of a pair has
        the same dice, as long as the games last, and the players swap the opening rolls.

        Args:
            players: In seats 0 and 1; the points of the first one count.
            game_range: Which games, or matches.
            progress: Called with the number of finished games.
            cancelled: Called before each turn; returns whether to stop.

        Returns:
            The games of each match; a money game by itself, with the running score of the range; none where
            a game did not end.

        Raises:
            CancelledWork: `cancelled` returned True.
            GammondError: A player cannot decide.
        """
        played: list[list[RecordedGame]] = []
        money = _MONEY
        for number in range(game_range.first_game, game_range.first_game + game_range.games):
            begun = replace(money, on_roll=number % 2)
            try:
                if self.mode is TournamentMode.MATCH:
                    played.append(self._play_match(players, number, cancelled))
                else:
                    game = play_game(players, begun, self._make_dice(number, 0), cancelled, self.game)
                    assert game.result is not None  # it was played to its end
                    money = begun.after_game(game.result.winner, game.result.points) or _MONEY
                    played.append([game])
            except EndlessGameError:
                played.append([])
            if progress is not None:
                progress(len(played))
        return played

    def _play_match(
        self, players: tuple[Decider, Decider], number: int, cancelled: Callable[[], bool] | None
    ) -> list[RecordedGame]:
        def starter(game: int) -> int:
            return (number + self._roll_dice(number, game, _STARTER_TURN)[0] * (game > 0)) % 2

        dice = partial(self._make_dice, number)
        return play_match(players, self.length, starter, dice, cancelled, self.game)

    def _make_dice(self, number: int, game: int) -> GameDice:
        return partial(self._roll_dice, number, game)

    def _roll_dice(self, number: int, game: int, turn: int) -> Roll:
        series = np.array([number // 2 + game * _GAMES_APART])
        die, other = draw_paired_dice(self.seed, series, np.array([turn]))[0].tolist()
        return die, other


def read_rules(options: TournamentOptions) -> TournamentRules:
    """Return the rules that the options ask for.

    Raises:
        GammondError: There are no such rules, or no records of their games.
    """
    game = Rules(VARIANTS[options.variant], Doubles(options.doubles))
    mode = TournamentMode.CUBELESS
    if options.match is not None:
        mode = TournamentMode.MATCH
    elif options.home_bound:
        mode = TournamentMode.HOME_BOUND
    elif options.cubeful:
        mode = TournamentMode.CUBEFUL
    rules = TournamentRules(mode, options.seed, options.match or 0, options.cube_by, game)
    check_records(options.records, rules)
    return rules


def check_records(folder: Path | None, rules: TournamentRules) -> None:
    """Check that games can be recorded; None is no records.

    Raises:
        UnsupportedError: The games stop before their end, or have rules that .mat files cannot express.
    """
    if folder is None:
        return
    rules.game.check_supports(Feature.RECORDS)
    if rules.mode is TournamentMode.HOME_BOUND:
        raise UnsupportedError(
            "games that stop when both sides are home bound have no result to record: remove --records",
            field="records",
        )


def score_cubeful_games(records: Sequence[Sequence[RecordedGame]], mode: TournamentMode) -> PairedScores:
    """Score games or matches with the cube, for seat 0.

    Args:
        records: As `TournamentRules.play_with_cube` returns them.
        mode: `TournamentMode.CUBEFUL` or `TournamentMode.MATCH`.
    """
    values, kinds = np.full(len(records), np.nan), np.zeros(len(records), np.int8)
    for place, games in enumerate(records):
        if games:
            result = games[-1].result
            assert result is not None
            sign, is_match = 1 if result.winner == 0 else -1, mode is TournamentMode.MATCH
            values[place] = sign * (1 if is_match else result.points)
            kinds[place] = sign * (1 if is_match else result.kind)
    return PairedScores(values, kinds)
