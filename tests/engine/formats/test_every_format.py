"""What holds for every format of positions: the same state back, typed errors, many at once as one by one."""

import doctest
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammond.engine.errors import GammondError, UnsupportedError
from gammond.engine.formats.fibs_board import encode_fibs_board
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_batch import parse_positions
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.position_text import FORMATS, name_format, parse_position
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import BACKGAMMON, HYPERGAMMON
from tests.support import boards
from tests.support.match_states import random_match_state

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"
NOT_IN_IT = {
    "ogid": {"jacoby": False, "beavers": True},
    "fibs": {"jacoby": False, "beavers": True},
    "snowie": {"beavers": True},
}
"""What a format has no place for, as it is read."""

OFFERS = [
    ("doubled", MatchState(doubled=True)),
    *(
        ("beavered", MatchState(on_roll=seat, doubled=True, beavered=True, cube=cube, cube_owner=1 - seat))
        for cube, seat in ((2, 0), (4, 0), (64, 1))
    ),
    ("resigned", MatchState(resigned=2)),
]
HAS_NO_PLACE = {
    "xgid": {"resigned"},
    "ogid": {"beavered", "resigned"},
    "fibs": {"beavered", "resigned"},
    "snowie": {"doubled", "beavered", "resigned"},
}


def draw_states(name, count, seed):
    """Yield random positions and states that a format can say."""
    generator = random.Random(seed)
    for board in boards.random_boards(count, seed):
        match = replace(random_match_state(generator), **NOT_IN_IT.get(name, {}))
        yield Position(board), match.without_offers() if "doubled" in HAS_NO_PLACE[name] else match


@pytest.mark.parametrize("name", FORMATS)
def test_random_positions_and_states_are_recognised_and_survive_the_round_trip(name):
    form = FORMATS[name]
    for state in draw_states(name, 400, seed=9):
        text = form.encode(*state)
        assert name_format(text) == name
        assert form.decode(text) == parse_position(text) == state


@pytest.mark.parametrize(("offer", "match"), OFFERS)
@pytest.mark.parametrize("name", FORMATS)
def test_an_offer_is_read_back_or_refused_where_the_format_has_no_place_for_it(name, offer, match):
    form, state = FORMATS[name], (Position.start(), match)
    if offer not in HAS_NO_PLACE[name]:
        assert form.decode(form.encode(*state)) == state
        return
    with pytest.raises(UnsupportedError, match="pending") as caught:
        form.encode(*state)
    assert caught.value.field in HAS_NO_PLACE[name]


WORDS = "0 1 -1 2 -2 3 10 00 63 15 16 -16 +3 007 1_0 9999 99999999 x D B R X W1N N0O 7C \u0661"
FIELDS = st.sampled_from([*WORDS.split(), "", " 1"]) | st.text(max_size=5)


@pytest.mark.parametrize("name", FORMATS)
@given(changes=st.dictionaries(st.integers(0, 52), FIELDS, min_size=1, max_size=4))
def test_a_text_with_any_fields_changed_is_read_or_refused_with_a_typed_error(name, changes):
    form = FORMATS[name]
    parts = re.split("([:;])", form.encode(Position.start(), MatchState(5, (1, 2), roll=(3, 1))))
    for place, field in changes.items():
        parts[2 * place % len(parts) // 2 * 2] = field
    try:
        state = form.decode("".join(parts))
    except GammondError:
        return
    assert form.decode(form.encode(*state)) == state


@pytest.mark.parametrize("name", FORMATS)
@given(text=st.text(max_size=120))
def test_any_text_is_refused_with_a_typed_error(name, text):
    with pytest.raises(GammondError):
        FORMATS[name].decode(text)


def spoil(text, generator):
    """Return a text with one character or field changed, removed or doubled, or cut off."""
    place = generator.randrange(len(text))
    if generator.random() < 0.3:
        return text[:place] + generator.choice("-AaOoPp0:9\u00e9 ") + text[place + 1 :]
    if generator.random() < 0.2:
        return text[:place]
    parts = text.split(":")
    at = generator.randrange(len(parts))
    parts[at : at + 1] = generator.choice(
        ([], [parts[at]] * 2, ["\u0661"], [" 1"], ["+3"], [str(generator.randrange(-3, 8))], ["1234567"])
    )
    return ":".join(parts)


@pytest.mark.nojit
@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.decode_many])
def test_many_at_once_are_read_as_one_by_one(name):
    form, generator = FORMATS[name], random.Random(17)
    texts = []
    for state in draw_states(name, 300, seed=17):
        good = form.encode(*state)
        texts += [good, f" {good}\r\n", spoil(good, generator), spoil(good, generator)]
    found, matches = form.decode_many(texts)
    read = 0
    for text, board, match in zip(texts, found, matches, strict=True):
        try:
            expected = form.decode(text)
        except GammondError:
            assert match is None, text
        else:
            assert (Position(board), match) == expected, text
            read += 1
    assert 620 < read < 1000


@pytest.mark.nojit
@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.decode_many])
def test_no_texts_are_no_boards(name):
    found, matches = FORMATS[name].decode_many([])
    assert (found.shape, matches) == ((0, 2, 26), [])


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_a_row_in_the_reference(name):
    assert f"| `{FORMATS[name].encode.__name__}` |" in (REFERENCE / "formats.md").read_text("utf-8")


@pytest.mark.parametrize(("page", "least"), [("formats.md", 20), ("match-files.md", 9), ("statistics.md", 5)])
def test_the_examples_of_the_reference_give_what_they_show(page, least):
    text = (REFERENCE / page).read_text("utf-8").replace("```", "\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    output: list[str] = []
    failed, tried = doctest.DocTestRunner().run(examples, out=output.append)
    assert tried >= least
    assert not failed, "".join(output)


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
