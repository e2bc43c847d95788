"""The games of one trial: a changed configuration against the one before, in several processes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.doubles import Doubles
from engine.games import play_games
from engine.players import Player
from engine.two_moves import playing_doubles
from nets.heuristic import Configuration, HeuristicPlayer, ReplyAveragingPlayer
from tools.tournament.scores import Scores
from tools.train.climb.rules import Answer, Rule
from tools.train.processes import Processes

STRETCH_GAMES = 500
"""Games of a task; the result does not depend on it."""

_PAIRS_APART = 2**24
"""How far apart the dice of trials are in the numbering of pairs."""


@dataclass(frozen=True)
class Manner:
    """How configurations play.

    Attributes:
        doubles: How many checker moves they are.
        by_probability: Whether the probability score decides, the average of the opponent's best replies.
    """

    doubles: Doubles = Doubles.FOUR
    by_probability: bool = False

    def player(self, configuration: Configuration) -> Player:
        """Make a configuration a player.

        Raises:
            UnsupportedError: The probability score, which knows the usual doubles alone, is to play others.
        """
        kind = ReplyAveragingPlayer if self.by_probability else HeuristicPlayer
        return playing_doubles(kind("heuristic", configuration.factors), self.doubles)


@dataclass(frozen=True)
class Table:
    """Who plays, with which dice, in which manner.

    Attributes:
        changed: The configuration whose points count.
        before: Its opponent.
        seed: Of the dice.
        trial: The number of the trial; each has its own dice.
        manner: How both play.
    """

    changed: Configuration
    before: Configuration
    seed: int
    trial: int
    manner: Manner = Manner()


@dataclass(frozen=True)
class _Stretch:
    """Some of the games of a trial, and whether they come in pairs with the same dice."""

    table: Table
    first_game: int
    games: int
    has_pairs: bool


def decided(table: Table, rule: Rule, processes: Processes) -> tuple[Answer, Scores]:
    """Play until a rule decides.

    Args:
        table: Who plays.
        rule: What decides.
        processes: Who works; the result does not depend on them.

    Returns:
        The answer, and the games that it looked at.
    """
    scores = Scores.none()
    for points in processes.map(play_stretch, _stretches(table, rule)):
        scores = scores.followed_by(Scores(points.astype(np.float64), points))
        answer = rule.answer(scores)
        if answer is not None:
            return answer, scores.first(answer.games)
    raise AssertionError("a rule has an answer after its last game")


def play_stretch(stretch: _Stretch) -> NDArray[np.int8]:
    """Play some games; ``int8[games]``, points of the changed configuration."""
    table = stretch.table
    first, second = (table.manner.player(each) for each in (table.changed, table.before))
    return play_games(
        first,
        second,
        stretch.games,
        table.seed,
        first_pair=table.trial * _PAIRS_APART + stretch.first_game // 2,
        has_pairs=stretch.has_pairs,
    ).points


def _stretches(table: Table, rule: Rule) -> Iterator[_Stretch]:
    for start in range(0, rule.most_games, STRETCH_GAMES):
        yield _Stretch(table, start, min(STRETCH_GAMES, rule.most_games - start), rule.has_pairs)
