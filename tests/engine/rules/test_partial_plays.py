"""Partial plays against the legal plays, which another program lists."""

import numpy as np
import pytest

from gammond.engine.errors import StateError
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.notation import parse_play
from gammond.engine.rules.partial_plays import list_partial_plays
from gammond.engine.rules.position import OFF, Position
from gammond.engine.rules.rules import STANDARD_RULES, VARIANTS, Doubles, Rules
from tests.support import boards

ALL_RULES = [Rules(variant, doubles) for variant in VARIANTS.values() for doubles in Doubles]


def walk_at_random(rules, random, turns):
    """Yield positions and rolls of random games."""
    position = rules.starting_position
    for _ in range(turns):
        roll = tuple(int(die) for die in random.integers(1, 7, 2))
        yield position, roll
        plays = legal_plays(position, roll, rules)
        position = plays[random.integers(len(plays))].result
        if position.is_over:
            position = rules.starting_position


def list_moves(each):
    """Return where each checker move of a partial play leads."""
    return {(source, target): following for source, target, following in each["moves"]}


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
def test_every_walk_ends_in_a_legal_play_with_its_own_checkers_and_every_legal_play_ends_one(rules):
    random = np.random.default_rng(19)
    for position, roll in walk_at_random(rules, random, 60):
        partial = list_partial_plays(position, roll, rules)
        results = {
            at: parse_play(each["play"], position, roll, rules).result
            for at, each in enumerate(partial)
            if not each["moves"]
        }
        assert set(results.values()) == {play.result for play in legal_plays(position, roll, rules)}
        for at, each in enumerate(partial):
            moves = list_moves(each)
            assert len(moves) == len(each["moves"])
            assert all(following > at for following in moves.values())
            assert (each["play"] is None) == bool(moves)
        for _ in range(5):
            own, at = position.board[0].copy(), 0
            while moves := partial[at]["moves"]:
                source, target, at = moves[random.integers(len(moves))]
                own[source] -= 1
                own[target] += 1
            assert results[at].board[1].tolist() == own.tolist()


def test_the_same_checkers_by_the_same_dice_are_one_partial_play():
    partial = list_partial_plays(Position.start(), (3, 1))
    after_three, after_one = (list_moves(partial[0])[move] for move in ((8, 5), (6, 5)))
    assert list_moves(partial[after_three])[6, 5] == list_moves(partial[after_one])[8, 5]


def test_no_move_is_one_whole_play():
    position = boards.position({25: 2, 6: 13}, {24: 2, 23: 2, 22: 2, 21: 2, 20: 2, 19: 2, 17: 3})
    assert list_partial_plays(position, (3, 1)) == [{"moves": [], "play": "pass"}]


def test_a_checker_that_either_die_bears_off_is_offered_once():
    position = boards.position({1: 3}, {24: 2, 22: 13})
    partial = list_partial_plays(position, (6, 1))
    assert [*list_moves(partial[0])] == [(1, OFF)]
    assert [each["play"] for each in partial if not each["moves"]] == ["1/off(2)"]


def test_a_game_that_is_over_has_none():
    position = boards.position({}, {24: 2, 22: 13})
    with pytest.raises(StateError, match="over"):
        list_partial_plays(position, (6, 1))


def test_the_most_that_a_double_can_have_stays_bounded():
    position = boards.position({point: 1 for point in range(24, 9, -1)}, {1: 15})
    assert len(list_partial_plays(position, (1, 1), STANDARD_RULES)) < 4500
