"""Files and streams of OGXM that others wrote, and those that are damaged."""

import pytest

from gammond.engine.errors import FormatError
from gammond.engine.match_files.model import IssueKind
from gammond.engine.match_files.ogxm import reader
from gammond.engine.match_files.ogxm.codec import encode_document
from gammond.engine.match_files.ogxm.reader import parse_ogxm
from gammond.engine.match_files.ogxm.writer import format_ogxm
from gammond.engine.match_files.reading import read_matches, recognise_format
from gammond.engine.rules.game_record import (
    DoubleAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    SetAction,
)
from tests.engine.match_files.generated_matches import Draw

pytest.importorskip("ogxm")

WHITE, BLACK = 1, 0
OPENING = {
    "color": WHITE,
    "action_id": 2,
    "d1": 3,
    "d2": 1,
    "moves": [{"from": 17, "pips": 3}, {"from": 19, "pips": 1}],
}
ANSWER = {
    "color": BLACK,
    "action_id": 5,
    "d1": 6,
    "d2": 1,
    "moves": [{"from": 13, "pips": 6}, {"from": 8, "pips": 1}],
}
OTHER_MOVE = [{"from": 12, "pips": 3}, {"from": 19, "pips": 1}]


def read(*plies, length=5, winner=0, points=1, annotations=(), **more):
    document = {
        "ogxm": {"major": 2, "minor": 2},
        "match_length": length,
        "player_white": "ann",
        "player_black": "bob",
        "crawford": length > 0,
        "games": [{"plies": list(plies), "winner": winner, "points_won": points}],
        **more,
    }
    if winner is None:
        document["games"] = [{"plies": list(plies)}]
    if annotations:
        document["annotations"] = list(annotations)
    (match,) = parse_ogxm(encode_document(document))
    return match


def make_file(seed):
    return format_ogxm(Draw(3, comments=True).make_match(seed))


def test_members_of_a_stream_are_matches():
    content = make_file(1) + make_file(2)
    assert recognise_format(content) == "ogxm"
    assert read_matches(content) == parse_ogxm(make_file(1)) + parse_ogxm(make_file(2))


def test_whole_members_of_a_stream_that_was_cut_stay_and_the_cut_is_said():
    whole = make_file(1)
    cut = whole + make_file(2)[:-20]
    (match,) = parse_ogxm(cut)
    (issue,) = match.issues
    assert issue.kind is IssueKind.MISSING
    assert issue.offset == len(whole)
    assert f"of which {len(cut) - len(whole)} are there" in issue.message
    assert not match.is_whole


def test_a_damaged_member_costs_no_other():
    first, second = bytearray(make_file(1)), make_file(2)
    first[40] ^= 255
    (match,) = parse_ogxm(bytes(first) + second)
    assert [game.actions for game in match.games] == [game.actions for game in parse_ogxm(second)[0].games]
    assert [issue.offset for issue in match.issues] == [0]


def test_a_stream_with_more_than_can_be_read_in_time_is_cut_and_that_is_said(monkeypatch):
    whole = make_file(1)
    monkeypatch.setattr(
        reader, "_MAX_PARTS", sum(len(game.actions) for game in parse_ogxm(whole)[0].games) + 20
    )
    (match,) = parse_ogxm(whole * 3)
    assert [issue.kind for issue in match.issues] == [IssueKind.MISSING]
    assert "the rest is left out" in match.issues[0].message


@pytest.mark.parametrize("cut", [0, 4, 12, 16, 60, -1])
def test_a_file_without_a_whole_member_is_refused(cut):
    with pytest.raises(FormatError, match=r"expected (another|a) match of OGXM"):
        parse_ogxm(make_file(1)[:cut])


def test_match_winning_chances_are_read_as_equities():
    """White leads 1-0 to 5: a game more gives .647713, one less .5 by the table of the library."""
    analysis = {
        "alternatives": [
            {"move": OTHER_MOVE, "equity": 0.62, "is_played": False, "rollout_se": 0.001},
            {"move": OPENING["moves"], "equity": 0.6, "is_played": True},
        ],
        "roll": {"luck": 0.01},
    }
    match = read(
        OPENING | {"analysis": analysis},
        ANSWER,
        winner=None,
        white_score_start=1,
        analysis_info={"currency": "cubeful_match", "level": {"checker_ply": 2}, "model_name": "some net"},
    )
    even, stake = (0.647713 + 0.5) / 2, (0.647713 - 0.5) / 2
    notes = match.games[0].notes[0]
    best, played = (each.evaluation for each in notes.candidates)
    assert best.equity == pytest.approx((0.62 - even) / stake, abs=1e-4)
    assert best.error == pytest.approx(0.001 / stake, rel=1e-3)
    assert played.equity == pytest.approx((0.6 - even) / stake, abs=1e-4)
    assert notes.luck == pytest.approx(0.01 / stake, rel=1e-3)
    assert best.depth == "2-ply"
    assert match.headers["Annotator"] == "some net"


def test_the_play_that_was_made_has_its_loss_where_it_is_not_listed():
    analysis = {
        "alternatives": [{"move": OTHER_MOVE, "equity": 0.25, "is_played": False}],
        "equity_loss": 0.125,
    }
    match = read(OPENING | {"analysis": analysis}, winner=None, analysis_info={"currency": "cubeful"})
    game = match.games[0]
    assert [each.evaluation.equity for each in game.notes[0].candidates] == [0.25, 0.125]
    assert game.notes[0].candidates[1].play == game.actions[0].play


def test_an_illegal_play_of_others_is_read_from_the_position_after_it():
    board = [0] * 26
    for point, count in ((1, 2), (12, 5), (17, 2), (20, 1), (19, 5), (24, -2), (13, -5), (8, -3), (6, -5)):
        board[point] = count
    play = {"color": BLACK, "action_id": 31, "d1": 4, "d2": 2, "illegal": True, "set_position": board}
    match = read(play, ANSWER, winner=None)
    first, second = match.games[0].actions
    assert (first.seat, first.roll, first.play.moves, first.is_legal) == (0, (4, 2), ((8, 5),), False)
    assert second.is_legal


def test_beavers_raccoons_settlements_and_turns_without_a_roll_are_read():
    money = {"length": 0, "beavers": True, "raccoons": True}
    double, beaver = {"color": BLACK, "action_id": 21}, {"color": WHITE, "action_id": 32}
    taken = read(OPENING, double, beaver, ANSWER, winner=None, **money)
    assert taken.games[0].actions[1:4] == (
        DoubleAction(1, 2),
        DoubleAction(0, 4),
        ResponseAction(1, is_take=True),
    )
    turned = read(OPENING, double, beaver, {"color": BLACK, "action_id": 33}, ANSWER, winner=None, **money)
    assert [type(action) for action in turned.games[0].actions[1:]] == [DoubleAction] * 3 + [PlayAction]
    settled = read(
        OPENING, {"color": BLACK, "action_id": 34, "settle_value": -2.0}, winner=0, points=2, **money
    )
    assert settled.games[0].result.points == 2
    assert isinstance(settled.games[0].actions[-1], ResignationAction)
    passed = read(OPENING, {"color": BLACK, "action_id": 37}, OPENING | {"moves": OTHER_MOVE}, winner=None)
    assert [type(action) for action in passed.games[0].actions] == [PlayAction, SetAction, PlayAction]


def test_dates_of_a_month_and_annotations_are_read():
    match = read(
        OPENING,
        winner=None,
        started_at=1_709_251_200_000,
        date_precision="month",
        event="Nordic Open",
        round=3,
        stage="Final",
        annotations=[
            {"scope": "match", "ref": 0, "value": "of the match"},
            {"scope": "game", "ref": 0, "value": "of the game"},
            {"scope": "ply", "ref": 0, "value": "of the play"},
        ],
    )
    assert match.headers == {
        "Event": "Nordic Open",
        "Stage": "Final",
        "Round": "3",
        "EventDate": "2024.03.??",
    }
    game = match.games[0]
    assert (match.comment, game.comment, game.notes[0].comment) == (
        "of the match",
        "of the game",
        "of the play",
    )


def test_an_action_that_is_not_known_costs_what_it_touches():
    match = read(OPENING, {"color": BLACK, "action_id": 40}, winner=0, points=2)
    game = match.games[0]
    assert len(game.actions) == 1
    assert game.result.points == 2
    assert match.issues[0].kind is IssueKind.UNSUPPORTED
