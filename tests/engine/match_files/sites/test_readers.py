"""Match files of game servers: the same games as were played, and what is wrong with a file."""

import pytest

from gammond.engine.errors import FormatError
from gammond.engine.match_files.model import IssueKind
from gammond.engine.match_files.reading import read_matches
from gammond.engine.rules.game_record import (
    DoubleAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
)
from gammond.engine.rules.match import MAX_CUBE, GameResult
from tests.engine.match_files.played_games import read_match
from tests.engine.match_files.sites import site_files

FIBS = "Score is 1-0 in a 5 point match.\nann is X - bob is O\n\n"
GRID = "ann vs. bob\nMatch Length: 5\nGame 1.0-0/5\n\n"
GRID_MONEY = "ann vs. bob\nBeavers: Yes\nRaccoons: Yes\nJacoby: Yes\nGame 1.0-0\n\n"
TMG = "MatchID: 1\nPlayer1: 1 ann 10.0\nPlayer2: 2 bob 10.0\nLength: 0\nGame 1: 0-0\n"
PARTY = "MATCHLENGTH=5\nGAME_1_PLAYER_1=ann\nGAME_1_PLAYER_2=bob\nGAME_1_GAMEPLAY="
EMPIRE = "ann bob\n"


def test_gammon_empire_gives_the_actions_and_results_without_the_match(money):
    match = read_match(site_files.write_empire(money))
    assert (match.format, match.issues, match.names) == ("empire", (), ("one", "two"))
    assert [(game.actions, game.result) for game in match.games] == [
        (game.actions, game.result) for game in money
    ]


def test_moves_of_fibs_rise_for_one_of_the_players():
    match = read_match(FIBS + "O: (6 4) 1-7 12-16\nX: (3 1) 8-5 6-5\nO: (6 5) 7-13 13-18\nO: wins 1 point.\n")
    plays = [action.play.moves for action in match.games[0].actions if isinstance(action, PlayAction)]
    assert plays == [((24, 18), (13, 9)), ((8, 5), (6, 5)), ((18, 13), (13, 7))]
    assert match.games[0].actions[-1] == ResignationAction(0, 1)


def test_points_that_fibs_swaps_are_put_right():
    game = "O: (6 4) 1-7 12-16\nO: wins 2 points.\n\n"
    match = read_match(FIBS + game + FIBS.replace("1-0", "2-1") + game)
    assert [game.initial_state.score for game in match.games] == [(1, 0), (1, 2)]


def test_players_of_fibs_who_change_letters_keep_their_seats():
    game = "X: (6 4) 24-18 13-9\nX: wins 1 point.\n\n"
    other = FIBS.replace("1-0", "0-2").replace("ann is X - bob is O", "bob is X - ann is O")
    match = read_match(FIBS + game + other + game)
    assert [(game.initial_state.score, game.result.winner) for game in match.games] == [
        ((1, 0), 0),
        ((2, 0), 1),
    ]


def test_a_resignation_on_fibs_is_accepted_or_goes_on():
    match = read_match(
        FIBS + "O: (6 4) 1-7 12-16\nX: wants to resign.\nO: rejects.\nX: (3 1) 8-5 6-5\n"
        "O: wants to resign.\nX: accepts.\nX: wins 2 points.\n"
    )
    (game,) = match.games
    assert match.issues == ()
    assert game.notes[0].comment == "resignation: rejects"
    assert game.actions[2:] == (ResignationAction(1, 2),)


def test_matches_of_other_lengths_are_other_matches():
    game = "O: (6 4) 1-7 12-16\nO: wins 1 point.\n"
    matches = read_matches((FIBS + game + FIBS.replace("5 point", "7 point") + game).encode())
    assert [match.length for match in matches] == [5, 7]


def test_headers_of_gamesgrid_are_read():
    match = read_match(
        "ann vs. bob\nMonday November 23, 2026\nGamesGrid Backgammon Server\nELO: 1725.61 1234 1689.20 567\n"
        "Jacoby: Yes\nAutomatic Doubles: Yes\nCrawford: No\nBeavers: No\nRaccoons: Yes\nDoubling Cube: No\n"
        "Variant: Nackgammon\nGame 1.0-0\n\n1\t64: \n1\t64: 24/18, 13/9\nann wins 1 points.\n"
    )
    assert (match.issues, match.ratings) == ((), (1725.61, 1689.2))
    rules = match.rules
    assert (rules.jacoby, rules.automatic_doubles, rules.crawford) == (True, True, False)
    assert (rules.beavers, rules.raccoons, rules.cube_limit) == (False, True, 1)
    assert rules.rules.variant.name == "nackgammon"
    assert match.headers["EventDate"] == "2026.11.23"
    assert match.headers["Site"] == "GamesGrid Backgammon Server"


VARIANT_HEADERS = {
    "sgg": GRID.replace("Match Length: 5", "Variant: {}") + "1\t64: \n1\t64: 24/18, 13/9\n",
    "tmg": TMG.replace("Length: 0", "Variant: {}") + "1 1 64:\n2 4 24/18 13/9\n",
    "mat": '; [Variation "{}"]\n Game 1\n ann : 0      bob : 0\n  1) 64: 24/18 13/9\n',
}


@pytest.mark.parametrize("format_name", VARIANT_HEADERS)
def test_games_of_a_variant_with_an_unknown_number_of_checkers_are_left_out(format_name):
    match = read_match(VARIANT_HEADERS[format_name].format("HyperGammon (4)"))
    assert (match.format, match.games) == (format_name, ())
    (issue,) = match.issues
    assert issue.kind is IssueKind.UNSUPPORTED
    lost = "'HyperGammon (4)': its games are left out, since the number of checkers is unknown"
    assert lost in issue.message


@pytest.mark.parametrize("format_name", VARIANT_HEADERS)
def test_a_variant_that_is_read_as_backgammon_is_said_to_be(format_name):
    match = read_match(VARIANT_HEADERS[format_name].format("Tavla"))
    assert len(match.games) == 1
    assert "'Tavla': read as backgammon" in match.issues[0].message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GRID_MONEY.replace("Jacoby: Yes", "Jacoby: 2nd"), "On or Off for Jacoby, got '2nd': read as Off"),
        (TMG.replace("Length: 0", "Cube: red"), "for Cube, got 'red': read as On"),
        (TMG.replace("Length: 0", "Length: long"), "for Length, got 'long': read as money play"),
        (PARTY.replace("=5", "=best") + "1 1 Rolls 64 24/18 13/9", "'best': read as money play"),
        (
            '; [Crawford "perhaps"]\n Game 1\n ann : 0      bob : 0\n  1) 64: 24/18 13/9\n',
            "for Crawford, got 'perhaps': read as On",
        ),
        ('; [CubeLimit "none"]\n Game 1\n ann : 0     bob : 0\n  1) 64: 24/14\n', "read as no limit"),
    ],
)
def test_a_rule_that_is_not_understood_is_an_issue_with_how_it_is_read(text, message):
    match = read_match(text)
    assert any(message in issue.message for issue in match.issues)
    assert match.length == 0
    assert match.rules.crawford
    assert not match.rules.jacoby
    assert match.rules.cube_limit == MAX_CUBE


def test_gamesgrid_may_state_the_length_in_a_header_alone():
    assert read_match(GRID.replace("1.0-0/5", "1.0-0") + "1\t64: \n").length == 5


def test_entries_of_gamesgrid_that_come_twice_count_once():
    match = read_match(
        GRID + "1\t\t64: \n1\t\t64: \n1\t\t64: 24/18, 13/9\n1\t\t64: 24/18, 13/9\n2\t31: \nhello\n"
    )
    (game,) = match.games
    assert [type(action) for action in game.actions] == [PlayAction, RollAction]
    assert game.notes[1].comment == "hello"


def test_automatic_doubles_and_beavers_of_gamesgrid_are_read():
    match = read_match(
        GRID_MONEY + "1\t11: Automatic double\n1\t64: 24/18, 13/9\n1\t\tDouble to 4\n2\tBeaver to 8\n"
        "2\t\t31: \n2\t\t31: 8/5, 6/5\n3\tResign\nbob wins 8 points.\n"
    )
    assert match.issues == ()
    (game,) = match.games
    assert (game.initial_state.cube, game.initial_state.cube_owner, game.initial_state.jacoby) == (
        2,
        None,
        True,
    )
    assert game.actions[1:4] == (DoubleAction(1, 4), DoubleAction(0, 8), ResponseAction(1, True))
    assert game.result == GameResult(1, 1, 8)


@pytest.mark.parametrize(("score", "crawford"), [("4*-2", True), ("4-2", False)])
def test_a_star_at_a_score_of_gamesgrid_is_the_crawford_game(score, crawford):
    match = read_match(GRID.replace("Game 1.0-0", f"Game 6.{score}") + "1\t64: 24/18, 13/9\n")
    assert match.games[0].initial_state.crawford is crawford


@pytest.mark.parametrize(
    ("cube", "limit", "cubes", "issues"),
    [
        ("1", MAX_CUBE, [2], [IssueKind.WRONG_RESULT]),
        ("0", 1, [1], [IssueKind.ILLEGAL_CUBE_ACTION, IssueKind.WRONG_RESULT]),
    ],
)
def test_players_and_rules_of_truemoneygames_are_read(cube, limit, cubes, issues):
    match = read_match(
        TMG.replace("1 ann 10.0", "1 ann lee 10.0").replace(
            "Length: 0", f"Jacoby: 1\nBeavers: 1\nLength: 0\nCube: {cube}"
        )
        + "  1 2 11\n  2 1 64:\n  3 4 24/18 13/9\n  -4 1 31:\n  -5 4 8/5 6/5\n  6 15 8 ann wins\n"
    )
    assert match.names == ("ann lee", "bob")
    assert (match.rules.jacoby, match.rules.beavers, match.rules.cube_limit) == (True, True, limit)
    assert [game.initial_state.cube for game in match.games] == cubes
    assert [found.kind for found in match.issues] == issues


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (FIBS + "X: (6 4) 24-18 thirteen\n", IssueKind.UNREADABLE, "expected a move such as 8/5"),
        (FIBS + "X: (6 4) 24-18 13-8\n", IssueKind.ILLEGAL_PLAY, "13/8"),
        (FIBS + "X: sneezes\n", IssueKind.UNREADABLE, "a roll or a cube action, got 'sneezes'"),
        (FIBS + "X: (6 4) 24-18 13-9\nX: (6 4) 18-8\n", IssueKind.OUT_OF_TURN, "player 2 to act"),
        (GRID + "1\t64: 24/18, 13/8\n", IssueKind.ILLEGAL_PLAY, "13/8"),
        (GRID + "1\tsneeze\n", IssueKind.UNREADABLE, "got 'sneeze'"),
        (GRID + "1\t64: 24/18, 13/9\n1\t\tDouble to 4\n", IssueKind.ILLEGAL_CUBE_ACTION, "the cube at 2"),
        (GRID + "1\t11: Automatic double\n", IssueKind.ILLEGAL_CUBE_ACTION, "money games"),
        (TMG + "  1 1 77:\n", IssueKind.UNREADABLE, "a roll as 41:, got '77:'"),
        (TMG + "  1 4 24/18\n", IssueKind.UNREADABLE, "a play without one"),
        (TMG + "hello\n", IssueKind.UNREADABLE, "expected a record"),
        (TMG + "  1 1 64:\n  2 4 24/18 13/9\n  3 19 1\n", IssueKind.WRONG_RESULT, "result by the rules"),
        (PARTY + "1 12 Rolls 64 24/18 13/8#2 1 Double\n", IssueKind.ILLEGAL_PLAY, "13/8"),
        (PARTY + "1 12 Rolls 64 24/18 13/9#3 Double\n", IssueKind.UNREADABLE, "got '3 Double'"),
        (EMPIRE + "  1) 64: 24/18 13/8\nwin 1\n", IssueKind.ILLEGAL_PLAY, "13/8"),
        (
            EMPIRE + "  1) 64: 24/18 13/9\nhello\nwin 1\n",
            IssueKind.UNREADABLE,
            "expected a row of one or two",
        ),
    ],
)
def test_a_fault_has_its_line_and_what_came_before_it_stays(text, kind, message):
    first = text.rstrip("\n").count("\n") + (not text.startswith(EMPIRE))
    (issue,) = [issue for issue in read_match(text).issues if issue.kind is kind]
    assert message in issue.message
    assert issue.line in (first, first + 1)
    with pytest.raises(FormatError, match="line"):
        read_matches(text.encode(), strict=True)


@pytest.mark.parametrize(
    "text",
    ["Game 1.0-0/7", "MatchID: 3", "win 1", "hello", ""],
    ids=["sgg", "tmg", "empire", "none", "empty"],
)
def test_a_file_without_a_game_is_refused(text):
    with pytest.raises(FormatError, match="the match: expected"):
        read_matches(text.encode())


@pytest.mark.parametrize("text", ["ann is X - bob is O", "GAME_1_GAMEPLAY="])
def test_a_game_without_actions_is_left_out(text):
    assert read_match(text).games == ()


def test_the_winner_of_a_game_on_fibs_is_who_accepted_its_resignation():
    match = read_match(FIBS + "O: (6 4) 1-7 12-16\nX: wants to resign.\nO: accepts.\nX: wins 1 point.\n")
    assert match.games[0].result == GameResult(1, 1, 1)
    assert [issue.kind for issue in match.issues] == [IssueKind.WRONG_RESULT]


def test_two_rolls_of_a_turn_are_one_by_the_play():
    match = read_match(GRID + "1\t64: \n1\t31: 24/18, 13/9\n1\t\t21: 13/11, 6/5\n")
    assert [action.roll for action in match.games[0].actions] == [(6, 4), (2, 1)]
    assert [issue.kind for issue in match.issues] == [IssueKind.OUT_OF_TURN, IssueKind.NO_RESULT]


def test_a_play_before_which_the_roll_is_missing_shows_it():
    match = read_match(TMG + "  1 4 24/18 13/9\n  -2 1 21:\n  -3 4 13/11 6/5\n  -3 4 13/11 6/5\n")
    assert [action.roll for action in match.games[0].actions] == [(6, 4), (2, 1)]
    assert [issue.kind for issue in match.issues] == [
        IssueKind.UNREADABLE,
        IssueKind.OUT_OF_TURN,
        IssueKind.NO_RESULT,
    ]


def test_a_game_of_which_the_heading_is_missing_begins_after_a_result():
    first = "1\t64: 24/18, 13/9\nbob wins 1 points.\n"
    match = read_match(GRID + first + "1\t\t31: 8/5, 6/5\n2\t21: 13/11, 6/5\n")
    assert [len(game.actions) for game in match.games] == [2, 2]
    assert match.games[1].initial_state.score == (0, 1)
    assert [(issue.kind, issue.game) for issue in match.issues] == [
        (IssueKind.UNREADABLE, 2),
        (IssueKind.NO_RESULT, 2),
    ]


def test_a_line_of_partygammon_may_be_broken_or_lack_its_key():
    moves = "1 12 Rolls 64 24/18 13/9#2 12 Rolls 21 13/11 6/5#1 12 Rolls 31 8/5 6/5\nGAME_1_SCORE2=1\n"
    broken = read_match(PARTY + moves.replace("6/5#1", "6/5\n#1"))
    assert broken.games[0].actions == read_match(PARTY + moves).games[0].actions
    second = "GAME_2_PLAYER_1=ann\nEPLAY=" + moves.replace("GAME_1_SCORE2=1", "GAME_2_SCORE2=2")
    lost = read_match(PARTY + moves + second)
    assert [len(game.actions) for game in lost.games] == [4, 4]


def test_the_score_of_one_player_after_a_game_of_partygammon_shows_the_winner():
    match = read_match(PARTY + "1 12 Rolls 64 24/18 13/9\nGAME_1_SCORE2=2\n")
    assert match.games[0].result == GameResult(1, 2, 2)
    assert [issue.kind for issue in match.issues] == [IssueKind.UNREADABLE]


def test_games_of_gammonempire_begin_without_their_names_and_end_without_their_points():
    game = "  1) 64: 24/18 13/9    31: 8/5 6/5\n"
    match = read_match(f"ann bob\n{game}win 1\n{game}win 1\nann bob\n{game}ann bob\n{game}win 1\n")
    assert [len(found.actions) for found in match.games] == [3, 3, 2, 3]
    assert [(issue.kind, issue.game) for issue in match.issues] == [
        (IssueKind.UNREADABLE, 2),
        (IssueKind.NO_RESULT, 3),
    ]


@pytest.mark.parametrize("take", ["Take", "accepts", "Takes"])
@pytest.mark.parametrize(
    "start",
    [
        FIBS + "X: (6 4) 24-18 13-9\nO: doubles.\nX: ",
        GRID + "1\t64: 24/18, 13/9\n1\t\tDouble to 2\n2\t",
        PARTY + "1 12 Rolls 64 24/18 13/9#2 13 Double#1 14 ",
    ],
)
def test_all_formats_know_the_same_words_of_the_cube(start, take):
    (game,) = read_match(f"{start}{take}\n").games
    assert game.actions[1:] == (DoubleAction(1, 2), ResponseAction(0, True))
