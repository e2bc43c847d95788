"""The results of a tournament in numbers, of each pair of players and of each player."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gammond.engine.match_analysis.elo import estimate_elo
from gammond.engine.play.paired_scores import PairedScores
from gammond.tools.common.reports import format_json_report, to_json_value
from gammond.tools.tournament.entrants import Entrant
from gammond.tools.tournament.games import GameRules
from gammond.tools.tournament.round_robin import PairState
from gammond.tools.tournament.statistics.scores import (
    WIN_SHARE_LIMITS,
    MeanEstimate,
    compute_p_value,
    estimate_mean,
)
from gammond.tools.tournament.statistics.sprt import SequentialTest


@dataclass(frozen=True)
class WinCounts:
    """Wins of a player against another: of any kind, gammons or more, backgammons."""

    wins: int
    gammons: int
    backgammons: int


@dataclass(frozen=True)
class GameLengths:
    """How games went on that can be drawn.

    Attributes:
        draws: Games that nobody won.
        moves: Of a game, of both sides together.
    """

    draws: int
    moves: MeanEstimate


@dataclass(frozen=True)
class PairReport:
    """Two players against each other.

    Attributes:
        first: The player whose numbers these are.
        second: Its opponent.
        games: How many count: those of pairs in which both games ended.
        score: Per game.
        win_share: The share of games won.
        first_wins: Of the first one.
        second_wins: Of the second one.
        p_score: The two-sided p-value of the score between equally strong players.
        p_wins: The same for games won.
        verdict: Of the sequential test; empty without one.
        ratio: Its log-likelihood ratio; None without a test.
        lengths: Draws and moves of a game, where they are counted.
        endless: Games that did not end.
    """

    first: str
    second: str
    games: int
    score: MeanEstimate
    win_share: MeanEstimate
    first_wins: WinCounts
    second_wins: WinCounts
    p_score: float
    p_wins: float
    verdict: str = ""
    ratio: float | None = None
    lengths: GameLengths | None = None
    endless: int = 0


@dataclass(frozen=True)
class PlayerReport:
    """One player against all others.

    Attributes:
        name: The player.
        nets: sha256 by name of the net.
        games: How many.
        elo: Relative to the anchor; nan where no games connect them.
        elo_error: Standard error of `elo`.
        score: The mean of its scores against each opponent; nan without games.
        score_error: Standard error of `score`.
    """

    name: str
    nets: dict[str, str]
    games: int
    elo: float
    elo_error: float
    score: float
    score_error: float


@dataclass(frozen=True)
class TournamentReport:
    """The results of a tournament.

    Attributes:
        rules: What was played.
        games: Of each pair, as asked for.
        anchor: The player whose Elo is 0.
        test: The sequential test, if there was one.
        players: In the order of the command.
        pairs: Those with games that count.
        seconds: Wall-clock time of this run.
    """

    rules: GameRules
    games: int
    anchor: str
    test: SequentialTest | None
    players: tuple[PlayerReport, ...]
    pairs: tuple[PairReport, ...]
    seconds: float

    def find_pair(self, one: str, other: str) -> PairReport | None:
        """Return the report on two players, in either order."""
        return next((pair for pair in self.pairs if {pair.first, pair.second} == {one, other}), None)

    @property
    def has_endless(self) -> bool:
        """Whether games did not end."""
        return any(pair.endless for pair in self.pairs)

    @property
    def has_lengths(self) -> bool:
        """Whether draws and the moves of games are counted."""
        return any(pair.lengths is not None for pair in self.pairs)

    def as_json(self) -> str:
        """Format it as one JSON object on one line; unknown numbers are null."""
        fields: dict[str, Any] = {**self.rules.to_record(), "unit": self.rules.score_unit}
        fields |= {name: value for name, value in asdict(self).items() if name != "rules"}
        if not self.has_lengths:
            for pair in fields["pairs"]:
                del pair["lengths"]
        if not self.has_endless:
            for pair in fields["pairs"]:
                del pair["endless"]
        if len(self.players) == 2 and self.pairs:
            fields |= self._two_player_fields()
        return format_json_report(_DECIMALS, **fields)

    def as_csv(self) -> str:
        """Format it as CSV: a header, and a row for each pair."""
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        lengths, endless = _LENGTH_COLUMNS * self.has_lengths, ("endless",) * self.has_endless
        rows.writerow([*_COLUMNS, *lengths, *endless])
        elo = {player.name: (player.elo, player.elo_error) for player in self.players}
        for pair in self.pairs:
            score, share = (list(asdict(each).values()) for each in (pair.score, pair.win_share))
            wins = [*asdict(pair.first_wins).values(), *asdict(pair.second_wins).values()]
            ratings_of_both = [*elo[pair.first], *elo[pair.second]]
            cells = [pair.first, pair.second, pair.games, *score, *share, *wins]
            cells += [pair.p_score, pair.p_wins, *ratings_of_both, pair.verdict, pair.ratio]
            if pair.lengths is not None:
                moves = pair.lengths.moves
                cells += [pair.lengths.draws, moves.mean, moves.standard_error]
            cells += [pair.endless] * self.has_endless
            known = (to_json_value(value, _DECIMALS) for value in cells)
            rows.writerow(["" if value is None else value for value in known])
        return text.getvalue()

    def _two_player_fields(self) -> dict[str, Any]:
        """Return the additional fields of a report on two players."""
        (pair,) = self.pairs
        sides = {
            side: {"name": player.name, "nets": player.nets, **asdict(wins)}
            for side, player, wins in zip(
                ("first", "second"), self.players, (pair.first_wins, pair.second_wins), strict=True
            )
        }
        return {
            **sides,
            "games": pair.games,
            "points_per_game": pair.score.mean,
            "standard_error": pair.score.standard_error,
        }


_COLUMNS = (
    *("first", "second", "games", "score", "score_error", "score_low", "score_high"),
    *("win_share", "win_share_error", "win_share_low", "win_share_high"),
    *("first_wins", "first_gammons", "first_backgammons"),
    *("second_wins", "second_gammons", "second_backgammons"),
    *("p_score", "p_wins", "first_elo", "first_elo_error", "second_elo", "second_elo_error"),
    *("verdict", "ratio"),
)

CSV_HEAD = ",".join(_COLUMNS).encode()
"""What each CSV file begins with."""

_LENGTH_COLUMNS = ("draws", "moves", "moves_error")

_DECIMALS = 6


def make_report(
    entrants: Sequence[Entrant],
    rules: GameRules,
    games: int,
    pairs: Sequence[PairState],
    *,
    anchor: int = 0,
    test: SequentialTest | None = None,
    seconds: float = 0.0,
) -> TournamentReport:
    """Make a report.

    Args:
        entrants: The players.
        rules: What was played.
        games: Of each pair, as asked for.
        pairs: Their results.
        anchor: The index of the player whose Elo is 0.
        test: The sequential test, if there was one.
        seconds: Wall-clock time.
    """
    played = [(pair, counted) for pair in pairs if (counted := pair.scores.counted).games]
    wins, variances = (np.zeros((len(entrants), len(entrants))) for _ in range(2))
    for pair, scores in played:
        first, second = pair.player_indices
        wins[first, second] = scores.wins
        wins[second, first] = scores.games - scores.wins
        variances[first, second] = variances[second, first] = _compute_wins_variance(scores)
    elo, errors = estimate_elo(wins, variances, anchor)
    players = [
        _make_player_report(entrant, place, played, float(elo[place]), float(errors[place]))
        for place, entrant in enumerate(entrants)
    ]
    reports = [_make_pair_report(entrants, pair, scores) for pair, scores in played]
    return TournamentReport(
        rules, games, entrants[anchor].name, test, tuple(players), tuple(reports), seconds
    )


def _compute_wins_variance(scores: PairedScores) -> float:
    """Compute the variance of the number of games won; pairs of games are independent."""
    shares = scores.pair_win_shares
    return float(4 * len(shares) * shares.var(ddof=1)) if len(shares) > 1 else 0.0


def _make_pair_report(entrants: Sequence[Entrant], pair: PairState, scores: PairedScores) -> PairReport:
    first, second = (entrants[place].name for place in pair.player_indices)
    result, lengths = pair.test_result, None
    if len(scores.lengths):
        lengths = GameLengths(int((scores.kinds == 0).sum()), estimate_mean(scores.pair_lengths))
    return PairReport(
        first,
        second,
        scores.games,
        estimate_mean(scores.pair_values),
        estimate_mean(scores.pair_win_shares, WIN_SHARE_LIMITS),
        WinCounts(*scores.count_wins(0)),
        WinCounts(*scores.count_wins(1)),
        compute_p_value(scores.pair_values),
        compute_p_value(scores.pair_win_shares, 0.5),
        "" if result is None else result.verdict.value,
        None if result is None else result.llr,
        lengths,
        pair.scores.endless,
    )


def _make_player_report(
    entrant: Entrant,
    index: int,
    played: Sequence[tuple[PairState, PairedScores]],
    elo: float,
    elo_error: float,
) -> PlayerReport:
    own = [
        scores if pair.player_indices[0] == index else scores.swap_players()
        for pair, scores in played
        if index in pair.player_indices
    ]
    mean = float(np.mean([scores.score.value for scores in own])) if own else math.nan
    squares = [scores.score.error**2 for scores in own]
    error = math.sqrt(sum(squares)) / len(own) if own else math.nan
    return PlayerReport(
        entrant.name, entrant.nets, sum(scores.games for scores in own), elo, elo_error, mean, error
    )
