"""Many positions of all formats parsed at once, against one by one."""

import random

import pytest

from gammond.engine.formats.fibs_board import encode_fibs_board
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_batch import parse_positions
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.position_text import parse_position
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import BACKGAMMON, HYPERGAMMON
from tests.support import boards
from tests.support.match_states import random_match_state

START = BACKGAMMON.starting_position
START_XGID = encode_xgid(START, MatchState())


@pytest.mark.parametrize("variant", [BACKGAMMON, HYPERGAMMON], ids=lambda variant: variant.name)
def test_texts_of_all_formats_are_parsed_as_one_by_one(variant):
    generator = random.Random(3)
    texts = ["startpos", "4HPwATDgc/ABMA", START_XGID, encode_fibs_board(START, MatchState())]
    for board in boards.random_boards(40, seed=3, checkers=variant.checkers):
        position, match = Position(board, variant.checkers), random_match_state(generator)
        id_text, fibs = encode_position_id(position), encode_fibs_board(position, match)
        texts += [id_text, f"{id_text}:{encode_match_id(match)}", encode_xgid(position, match)]
        texts += [fibs, fibs[6:], f" {fibs} ", fibs + ":1", fibs.replace(":25:", ":x:"), id_text[:9], ""]
    generator.shuffle(texts)
    parsed = parse_positions(texts, variant=variant)
    for place, text in enumerate(texts):
        if not parsed.is_good[place]:
            with pytest.raises(type(parsed.errors[place])) as caught:
                parse_position(text, variant)
            assert caught.value.message == parsed.errors[place].message
            continue
        position, match = parse_position(text, variant)
        assert Position(parsed.boards[place], variant.checkers) == position
        assert parsed.matches[parsed.match_indices[place]] == (match or MatchState()).before_roll()
    assert 200 < parsed.is_good.sum() < len(texts)
