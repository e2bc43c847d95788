"""Rules as one value."""

from __future__ import annotations

import copy
import pickle
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gammond.engine.errors import PlayError, UnsupportedError
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.notation import format_play, parse_play
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import STANDARD_RULES, VARIANTS, Doubles, Feature, Rules

ROOT = Path(__file__).parents[3]

START = Position.start()
TWO_MOVES = Rules(doubles=Doubles.TWO)


def test_a_double_of_two_moves_has_the_plays_of_two_moves():
    plays = legal_plays(START, (6, 6), TWO_MOVES)
    assert [format_play(play) for play in plays] == [
        "24/18(2)", "24/18 13/7", "24/18 8/2", "13/7(2)", "13/7 8/2", "8/2(2)",
    ]  # fmt: skip
    assert legal_plays(START, (3, 1), TWO_MOVES) == legal_plays(START, (3, 1))


def test_the_dice_of_a_roll_are_one_for_each_move():
    assert STANDARD_RULES.dice_of((3, 3)) == (3, 3, 3, 3)
    assert TWO_MOVES.dice_of((3, 3)) == (3, 3)
    assert STANDARD_RULES.dice_of((3, 1)) == TWO_MOVES.dice_of((3, 1)) == (3, 1)


def test_a_play_of_two_moves_is_read_where_doubles_are_two():
    assert format_play(parse_play("13/7(2)", START, (6, 6), TWO_MOVES)) == "13/7(2)"
    assert format_play(parse_play("8/4", START, (2, 2), TWO_MOVES)) == "8/4"
    with pytest.raises(PlayError, match="expected at most 2 checker moves with 6-6, got 4"):
        parse_play("24/18(2) 13/7(2)", START, (6, 6), TWO_MOVES)
    with pytest.raises(PlayError, match="expected 2 moves of 6, got 1"):
        parse_play("13/7", START, (6, 6), TWO_MOVES)
    with pytest.raises(PlayError, match="expected 4 moves of 6, got 2"):
        parse_play("13/7(2)", START, (6, 6))


def test_every_feature_is_supported_by_the_standard_rules_alone():
    for feature in Feature:
        STANDARD_RULES.check_supports(feature)
        with pytest.raises(UnsupportedError) as caught:
            TWO_MOVES.check_supports(feature)
        assert caught.value.field == "doubles"
        assert caught.value.message == (
            f"{feature} is not supported in backgammon with doubles as two moves: set doubles to four"
        )


def test_a_variant_has_a_name_and_a_starting_position():
    assert list(VARIANTS) == [
        "backgammon", "nackgammon", "longgammon", "hypergammon", "hypergammon2", "hypergammon1"
    ]  # fmt: skip
    assert (STANDARD_RULES.name, STANDARD_RULES.starting_position) == ("backgammon", START)


def test_nothing_begins_a_game_but_from_its_rules():
    folders = (ROOT / package for package in ("engine", "nets", "protocol", "tools"))
    sources = (file for folder in folders for file in folder.rglob("*.py"))
    assert [file.name for file in sources if re.search(r"\bPosition\.start\(", file.read_text())] == [
        "rules.py"
    ]


def test_a_starting_position_may_be_another_one():
    nackgammon = VARIANTS["nackgammon"].starting_position
    assert nackgammon == Position.start(((24, 2), (23, 2), (13, 4), (8, 3), (6, 4)))
    assert nackgammon.pips == (194, 194)
    assert VARIANTS["longgammon"].starting_position == Position.start(((24, 15),))


def test_hypergammon_begins_with_one_checker_on_each_of_the_rearmost_points():
    for name, checkers in (("hypergammon", 3), ("hypergammon2", 2), ("hypergammon1", 1)):
        variant = VARIANTS[name]
        start = variant.starting_position
        assert (variant.checkers, start.checkers) == (checkers, checkers)
        assert start == Position.start([(24 - each, 1) for each in range(checkers)])


def test_hypergammon_is_solved_so_that_there_is_nothing_to_train():
    for name in ("hypergammon", "hypergammon2", "hypergammon1"):
        with pytest.raises(UnsupportedError, match=f"{name} is solved") as caught:
            Rules(VARIANTS[name]).check_supports(Feature.TRAINING)
        assert caught.value.field == "variant"


def test_a_variant_is_the_same_object_in_another_process():
    """Writers and searches compare it by identity."""
    for variant in VARIANTS.values():
        for again in (pickle.loads(pickle.dumps(variant)), copy.deepcopy(variant)):
            assert again is variant
    assert pickle.loads(pickle.dumps(STANDARD_RULES)).variant is STANDARD_RULES.variant
    own = replace(VARIANTS["nackgammon"], name="own")
    assert pickle.loads(pickle.dumps(own)) == own
