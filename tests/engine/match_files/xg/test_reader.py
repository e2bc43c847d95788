"""Reading .xg files: round trips, the analysis in them, comments, and what is wrong with a file."""

from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.errors import FormatError
from gammond.engine.match_files.conventions import find_variant
from gammond.engine.match_files.model import IssueKind, describe_issues
from gammond.engine.rules.game_record import (
    DoubleAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
    SetAction,
)
from gammond.engine.rules.match import GameResult, MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position
from tests.engine.match_files.played_games import make_game, play_money_games, read_match, strip_game
from tests.engine.match_files.xg import xg_files
from tests.support.boards import position

NAMES = "Ann", "Bob Ö"
START = Position.start()


def read(records, comments=(), **options):
    return read_match(xg_files.make_file(records, comments), **options)


def first_play(roll, start=START):
    return legal_plays(start, roll)[0]


def short_game(*more, begun=None, result=None):
    """Make a game of one play and some further actions."""
    begun = begun or MatchState(on_roll=0)
    actions = (PlayAction(0, (3, 1), first_play((3, 1))), *more)
    return make_game(begun, actions, result or GameResult(0, 1, begun.cube))


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
def test_a_file_that_was_cut_says_so_in_a_line_and_once_what_is_missing(match, share):
    data = xg_files.make_file(xg_files.write_games(NAMES, match))
    found = read_match(data[: 9000 + int(share * (len(data) - 9000))])
    assert not found.is_whole
    lines = describe_issues(found.issues)
    assert len(lines) == 2
    assert "cut short or altered" in lines[0]
    assert "left out" in lines[1]
    assert len(found.games) < len(match) or found.games[-1].is_cut


def test_a_file_that_lacks_its_index_alone_has_lost_nothing(match):
    found = read_match(xg_files.make_file(xg_files.write_games(NAMES, match), end=-1))
    assert [issue.kind for issue in found.issues] == [IssueKind.UNREADABLE]
    assert found.is_whole
    assert [strip_game(game) for game in found.games] == match


def test_the_header_gives_names_date_event_and_ratings(match):
    texts = {"Event": "Cup", "Round": "Final", "Location": "Köln", "Transcriber": "Eve"}
    header = {name: xg_files.wide(text) for name, text in texts.items()}
    found = read(xg_files.write_games(NAMES, match, Date=45000.75, Elo2=-3.0, **header))
    assert found.headers == {
        "Event": "Cup", "Round": "Final", "Site": "Köln", "EventDate": "2023.03.15", "EventTime": "18:00",
        "Transcriber": "Eve",
    }  # fmt: skip
    assert found.ratings == (1600.0, None)
    assert found.rules.cube_limit == 1024


def test_each_play_has_its_candidates_and_the_cube_decision_before_it(match):
    found = read(xg_files.write_games(NAMES, match))
    listed = cubes = 0
    for game in found.games:
        for place, (situation, action, _) in enumerate(game.replayed):
            notes = game.notes.get(place)
            if isinstance(action, PlayAction):
                equities = [candidate.evaluation.equity for candidate in notes.candidates]
                assert equities == [0.5 - xg_files.STEP * i for i in range(len(equities))]
                assert action.play in [candidate.play for candidate in notes.candidates]
                assert notes.candidates[0].evaluation.outcome == xg_files.OUTCOME
                assert notes.candidates[0].evaluation.depth == "4-ply"
                assert notes.luck == 0.125
                listed += len(equities)
            is_decision = situation.match.may_double(action.seat) and place > 0
            if isinstance(action, DoubleAction | ResponseAction) or is_decision:
                cube = notes.cube
                assert cube.equities == (0.5, 0.75, 1.0)
                assert cube.no_double.outcome == xg_files.OUTCOME
                assert cube.no_double.depth == "XG Roller+"
                assert cube.double_take.equity == 0.75
                cubes += 1
            elif isinstance(action, PlayAction):
                assert notes.cube is None
    assert listed > 1000
    assert cubes > 100


@pytest.mark.parametrize("raccoons", [False, True])
def test_beavers_and_raccoons_are_read(raccoons):
    second = first_play((5, 2), first_play((3, 1)).result)
    more = [PlayAction(1, (5, 2), second), DoubleAction(0, 2), DoubleAction(1, 4)]
    more.append(DoubleAction(0, 8) if raccoons else ResponseAction(0, True))
    cube = 8 if raccoons else 4
    game = short_game(*more, ResignationAction(1, 1), result=GameResult(0, 1, cube))
    found = read(xg_files.write_games(NAMES, [game]))
    assert found.issues == ()
    assert found.games[0].actions == game.actions
    assert found.games[0].result == game.result


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_a_game_that_was_resigned_ends_so(kind):
    game = short_game(ResignationAction(1, kind), result=GameResult(0, kind, kind))
    assert strip_game(read(xg_files.write_games(NAMES, [game])).games[0]) == game


def test_automatic_doubles_turn_the_centred_cube():
    begun = MatchState(on_roll=0, cube=4)
    records = xg_files.write_games(NAMES, [short_game(ResignationAction(1, 1), begun=begun)])
    records[1] = xg_files.make_game_header(1, begun, START.board, NumberOfAutoDouble=2)
    found = read(records)
    assert found.issues == ()
    assert found.games[0].initial_state.cube == 4
    assert found.games[0].result == GameResult(0, 1, 4)


def test_a_game_may_begin_in_another_position():
    start = position({24: 1, 13: 2}, {20: 3, 1: 1})
    begun = MatchState(on_roll=1)
    play = first_play((6, 2), start)
    records = [
        xg_files.make_header(NAMES),
        xg_files.make_game_header(1, begun, start.board[::-1]),
        xg_files.write_play(start, begun, PlayAction(1, (6, 2), play)),
    ]
    (game,) = read(records).games
    assert game.position == start
    assert game.initial_state.on_roll == 1
    assert game.actions == (PlayAction(1, (6, 2), play),)


def test_a_table_set_by_hand_within_a_game_is_an_issue_and_the_game_goes_on():
    start, other = START, position({24: 1, 13: 2}, {20: 3, 1: 1})
    begun, owned = MatchState(on_roll=0), MatchState(on_roll=1, cube=2, cube_owner=1)
    play = first_play((6, 2), other)
    records = [
        xg_files.make_header(NAMES),
        xg_files.make_game_header(1, begun, start.board),
        xg_files.write_play(start, begun, PlayAction(0, (3, 1), first_play((3, 1)))),
        xg_files.write_play(other, owned, PlayAction(1, (6, 2), play)),
    ]
    found = read(records)
    (game,) = found.games
    assert [type(action) for action in game.actions] == [PlayAction, SetAction, PlayAction]
    assert game.actions[1].position == other
    assert (game.actions[1].match.cube, game.actions[1].match.cube_owner) == (2, 1)
    assert [issue.kind for issue in found.issues] == [IssueKind.IMPOSSIBLE_POSITION, IssueKind.NO_RESULT]
    assert found.issues[0].offset == 3 * 2560


def test_a_roll_that_was_not_played_is_kept_with_its_candidates():
    begun = MatchState(on_roll=0)
    action = PlayAction(0, (3, 1), first_play((3, 1)))
    records = [
        xg_files.make_header(NAMES),
        xg_files.make_game_header(1, begun, START.board),
        xg_files.write_play(START, begun, action, Played=False),
    ]
    (game,) = read(records).games
    assert game.actions == (RollAction(0, (3, 1)),)
    assert len(game.notes[0].candidates) == 4


def test_comments_stand_where_they_belong():
    def rtf(text):
        return r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}\f0 " + text + "}"

    comments = [
        rtf(r"match\'e9"),
        rtf("end"),
        rtf("game"),
        rtf("cube"),
        rtf("play\x01\x02\\par two"),
        rtf("last"),
    ]
    begun = MatchState(on_roll=0)
    second = PlayAction(1, (5, 2), first_play((5, 2), first_play((3, 1)).result))
    game = short_game(second, ResignationAction(1, 1))
    records = xg_files.write_games(NAMES, [game], CommentHeaderMatch=0, CommentFooterMatch=1)
    records[1] = xg_files.make_game_header(1, begun, START.board, CommentHeaderGame=2)
    assert records[4][8] == 2
    records[4] = xg_files.write_cube(first_play((3, 1)).result, replace(begun, on_roll=1), 0, CommentCube=3)
    records[5] = xg_files.write_play(
        first_play((3, 1)).result, replace(begun, on_roll=1), second, CommentMove=4
    )
    last = xg_files.write_cube(second.play.result, begun, -1, CommentCube=5)
    found = read([*records[:6], last, *records[6:]], comments)
    assert found.issues == ()
    assert found.comment == "matché\nend"
    assert found.games[0].comment == "game"
    assert found.games[0].notes[1].comment == "cube\nplay\ntwo\nlast"


def test_names_are_fit_to_be_shown(match):
    found = read(xg_files.write_games(("a\x1b[2J\u202eb", "  \x07c "), match[:1]))
    assert found.names == (r"a\x1b[2J\u202eb", r"\x07c")


def test_a_variant_that_is_unknown_is_an_issue():
    game = short_game(ResignationAction(1, 1))
    found = read(xg_files.write_games(NAMES, [game], Variation=9))
    (issue,) = found.issues
    assert issue.kind is IssueKind.UNSUPPORTED
    assert "variation 9" in issue.message
    assert len(found.games) == 1


def test_evaluated_plays_are_read_up_to_a_limit(monkeypatch):
    games = play_money_games()[:1]
    whole = read(xg_files.write_games(NAMES, games))
    counts = [len(notes.candidates) for notes in whole.games[0].notes.values() if notes.candidates]
    monkeypatch.setattr("gammond.engine.match_files.xg.reader._MAX_LISTED_PLAYS", sum(counts[:5]))
    cut = read(xg_files.write_games(NAMES, games))
    assert [game.actions for game in cut.games] == [game.actions for game in whole.games]
    kept = [len(notes.candidates) for notes in cut.games[0].notes.values() if notes.candidates]
    assert kept == counts[:5]
    assert [issue.kind for issue in cut.issues] == [IssueKind.UNSUPPORTED]
    assert "evaluated plays at most: the rest is left out" in cut.issues[0].message


@pytest.mark.parametrize(("variation", "name"), [(1, "nackgammon"), (2, "hypergammon"), (3, "longgammon")])
def test_a_variant_begins_in_its_own_position(variation, name):
    rules, _ = find_variant(name)
    play = first_play((3, 1), rules.starting_position)
    actions = PlayAction(0, (3, 1), play), ResignationAction(1, 1)
    game = make_game(MatchState(), actions, GameResult(0, 1, 1), rules)
    found = read(xg_files.write_games(NAMES, [game], Variation=variation))
    assert found.issues == ()
    assert strip_game(found.games[0]) == game


@pytest.mark.parametrize("kind", [6, 255])
def test_a_record_of_an_unknown_kind_is_an_issue(kind):
    records = xg_files.write_games(NAMES, [short_game(ResignationAction(1, 1))])
    unknown = bytearray(2560)
    unknown[8] = kind
    found = read([*records[:-1], bytes(unknown), records[-1]])
    assert [issue.kind for issue in found.issues] == [IssueKind.UNREADABLE]
    assert f"got {kind}" in found.issues[0].message


def test_evaluations_that_are_no_numbers_are_left_out():
    begun = MatchState(on_roll=0)
    action = PlayAction(0, (3, 1), first_play((3, 1)))
    values = np.ravel([xg_files.evaluation(0.5), xg_files.evaluation(np.nan), xg_files.evaluation(np.inf)])
    values[0] = 7.0
    record = xg_files.write_play(START, begun, action, D_Eval=values, NMoveEval=4, ErrLuck=np.nan)
    cube = xg_files.write_cube(START, begun, 0, D_equDouble=np.nan)
    head = [
        xg_files.make_header(NAMES, Date=np.nan, Elo1=np.inf),
        xg_files.make_game_header(1, begun, START.board),
    ]
    found = read([*head, cube, record])
    assert [len(game.notes.get(0).candidates) for game in found.games] == [1]
    assert found.games[0].notes[0].luck is None
    assert found.games[0].notes[0].cube is None
    assert found.headers == {}
    assert found.ratings == (None, 1712.5)


def test_the_crawford_flag_means_nothing_in_money_play():
    records = xg_files.write_games(NAMES, [short_game(ResignationAction(1, 1))])
    records[1] = xg_files.make_game_header(1, MatchState(), START.board, CrawfordApply=True)
    assert read(records).issues == ()


def test_a_file_with_a_cube_decision_alone_is_no_match():
    header = xg_files.make_header(NAMES), xg_files.make_game_header(1, MatchState(), START.board)
    with pytest.raises(FormatError, match="gammond eval"):
        read([*header, xg_files.write_cube(START, MatchState(), 0)])


def read_kinds(records):
    found = read(records)
    return found, [issue.kind for issue in found.issues]


@pytest.fixture(scope="module")
def two_games(money):
    """Two games of money: records, and what is read from them."""
    records = xg_files.write_games(NAMES, money[:2], analysed=False)
    return records, read(records)


def find_kind(records, kind, nth=0):
    return [place for place, record in enumerate(records) if record[8] == kind][nth]


def test_a_game_of_which_the_header_is_missing_begins_with_its_first_record(two_games):
    records, whole = two_games
    place = find_kind(records, 1, 1)
    found, kinds = read_kinds(records[:place] + records[place + 1 :])
    assert [game.actions for game in found.games] == [game.actions for game in whole.games]
    assert kinds == [IssueKind.UNREADABLE]


def test_a_damaged_record_that_looks_like_the_header_of_another_game_costs_itself_alone(two_games):
    records, whole = two_games
    place = find_kind(records, 3, 7)
    changed = bytearray(records[place])
    changed[8] = 1
    found, kinds = read_kinds([*records[:place], bytes(changed), *records[place + 1 :]])
    assert [game.result for game in found.games] == [game.result for game in whole.games]
    assert found.games[1] == whole.games[1]
    assert len(found.games[0].actions) >= len(whole.games[0].actions) - 1
    assert kinds[0] is IssueKind.UNREADABLE


@pytest.mark.parametrize(("take", "actions"), [(-1, [PlayAction] * 3), (0, [PlayAction, DoubleAction])])
def test_a_double_that_what_follows_denies_is_none_and_a_pass_is_a_take(take, actions):
    first = first_play((3, 1))
    place, begun = first.result, MatchState(on_roll=1)
    second = first_play((6, 4), place)
    cube = 0 if take < 0 else -1
    double = xg_files.write_cube(place, begun, 1, False, Take=take)
    after = second.result
    records = [
        xg_files.make_header(NAMES),
        xg_files.make_game_header(1, MatchState(), START.board),
        xg_files.write_play(START, MatchState(on_roll=0), PlayAction(0, (3, 1), first), False),
        double,
        xg_files.write_play(place, begun, PlayAction(1, (6, 4), second), False, CubeA=-cube),
        xg_files.write_play(
            after, MatchState(on_roll=0), PlayAction(0, (2, 1), first_play((2, 1), after)), False, CubeA=-cube
        ),
    ]
    found, kinds = read_kinds(records)
    assert [type(action) for action in found.games[0].actions][: len(actions)] == actions
    assert sum(isinstance(action, PlayAction) for action in found.games[0].actions) == 3
    assert kinds == [IssueKind.ILLEGAL_CUBE_ACTION, IssueKind.NO_RESULT]


def test_an_end_in_the_midst_of_a_game_is_none(two_games):
    records, whole = two_games
    place, end = find_kind(records, 2, 9), find_kind(records, 4)
    found, kinds = read_kinds([*records[:place], records[end], *records[place:]])
    assert found.games == whole.games
    assert kinds == [IssueKind.UNREADABLE]
