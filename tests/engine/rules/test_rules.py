"""Rules as one value."""

import copy
import pickle
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gammond.engine.errors import PlayError, UnsupportedError
from gammond.engine.rules.notation import format_play, parse_play
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import STANDARD_RULES, VARIANTS, Doubles, Feature, Rules

ROOT = Path(__file__).parents[3]

START = Position.start()
TWO_MOVES = Rules(doubles=Doubles.TWO)


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


def test_each_variant_begins_with_its_checkers_and_pips():
    begins = [(name, each.checkers, each.starting_position.pips) for name, each in VARIANTS.items()]
    assert begins == [
        ("backgammon", 15, (167, 167)),
        ("nackgammon", 15, (194, 194)),
        ("longgammon", 15, (360, 360)),
        ("hypergammon", 3, (69, 69)),
        ("hypergammon2", 2, (47, 47)),
        ("hypergammon1", 1, (24, 24)),
    ]
    assert (STANDARD_RULES.name, STANDARD_RULES.starting_position) == ("backgammon", START)


def test_nothing_begins_a_game_but_from_its_rules():
    folders = (ROOT / package for package in ("engine", "nets", "protocol", "tools"))
    sources = (file for folder in folders for file in folder.rglob("*.py"))
    assert [file.name for file in sources if re.search(r"\bPosition\.start\(", file.read_text())] == [
        "rules.py"
    ]


def test_a_solved_variant_has_nothing_to_train():
    solved = [each for each in VARIANTS.values() if each.is_solved]
    assert [each.checkers for each in solved] == [3, 2, 1]
    for variant in solved:
        with pytest.raises(UnsupportedError, match=f"{variant.name} is solved") as caught:
            Rules(variant).check_supports(Feature.TRAINING)
        assert caught.value.field == "variant"


def test_a_variant_is_the_same_object_in_another_process():
    """Writers and searches compare it by identity."""
    for variant in VARIANTS.values():
        for again in (pickle.loads(pickle.dumps(variant)), copy.deepcopy(variant)):
            assert again is variant
    assert pickle.loads(pickle.dumps(STANDARD_RULES)).variant is STANDARD_RULES.variant
    own = replace(VARIANTS["nackgammon"], name="own")
    assert pickle.loads(pickle.dumps(own)) == own
