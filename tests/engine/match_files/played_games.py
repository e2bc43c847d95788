"""Matches and money games played by lot, for tests of formats: plays, doubles, takes, passes, gammons."""

import functools
import random
from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from gammond.engine.evaluation.results import CubeResponse
from gammond.engine.match_files.model import RecordedGame
from gammond.engine.match_files.reading import read_matches
from gammond.engine.play.cube_games import play_game, play_match
from gammond.engine.rules.dice import draw_paired_dice
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.rules import STANDARD_RULES, Rules

MAT_GAME = """\
 michy : 0                             Thomas Low : 0
  1)                                   64: 24/18 13/9
  2) 21: 13/11 8/7*                    62: Bar/23 24/18*
  3) 61: Bar/24 13/7*                  64: Bar/15
  4) 54: 7/2* 6/2                      11: Bar/24 15/14* 6/5(2)
  5) 52: Bar/23 6/1*                   51: Bar/24* 14/9
  6) 31: Bar/22 23/22                   Doubles => 2
  7)  Drops                             Wins 1 point
"""
"""The rows of a short game in a ``.mat`` file, below its number: entering, hits, a double and a pass."""

MAT_MATCH = f" 5 point match\n\n Game 1\n{MAT_GAME}"
"""A match of this game."""


class Dicer:
    """Plays and handles the cube by lot, and doubles as often as it is told."""

    def __init__(self, seed, doubling_chance=0.01):
        self._rng = random.Random(seed)
        self._doubling_chance = doubling_chance

    def with_rules(self, rules):
        return self

    def choose_play(self, position, roll, match):
        return SimpleNamespace(play=self._rng.choice(legal_plays(position, roll)))

    def should_double(self, position, match):
        return self._rng.random() < self._doubling_chance

    def choose_response(self, position, match):
        return CubeResponse.TAKE if self._rng.random() < 0.7 else CubeResponse.PASS


def dice(number):
    def roll(turn):
        die, other = draw_paired_dice(9, np.array([number]), np.array([turn]))[0].tolist()
        return die, other

    return roll


@functools.cache
def play_random_match():
    """Play a match to 7 points, with a Crawford game and two after it; all callers share the list."""
    return play_match((Dicer(33), Dicer(7)), 7, lambda number: number % 2, dice)


@functools.cache
def play_money_games(count=6, doubling_chance=0.01):
    """Play games for money; all callers share the list."""
    begun, games = MatchState(), []
    for number in range(count):
        players = Dicer(3, doubling_chance), Dicer(4, doubling_chance)
        games.append(play_game(players, replace(begun, on_roll=number % 2), dice(number + 20)))
        begun = begun.after_game(games[-1].result.winner, games[-1].result.points)
    return games


def read_match(content, **options):
    """Read the one match of a file."""
    (match,) = read_matches(content.encode() if isinstance(content, str) else content, **options)
    return match


def make_game(begun, actions, result, rules=STANDARD_RULES):
    """Make a game that was played from its starting position to its end."""
    return RecordedGame(0, begun, rules.starting_position, tuple(actions), result, rules)


def strip_game(game):
    """A game as `make_game` makes it; None if it is cut, has no result or began elsewhere."""
    is_whole = game.result is not None and not game.is_cut
    if not is_whole or game.position != game.rules.starting_position:
        return None
    return make_game(game.initial_state, game.actions, game.result, game.rules)


def play_variant_match(variant):
    """Play a match of a variant to 5 points."""
    players = Dicer(7), Dicer(8)
    return play_match(players, 5, lambda number: number % 2, dice, rules=Rules(variant))
