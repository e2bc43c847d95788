"""SGF of backgammon: trees, what is read, and that a match survives being written with its analysis."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace

import pytest

from gammond.engine.cubeful import make_dead_cube_game
from gammond.engine.errors import FormatError, GammondError
from gammond.engine.evaluation.results import CubeDecision, Evaluation, RankedPlay
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.match_files.model import ActionNotes, IssueKind
from gammond.engine.match_files.reading import read_matches
from gammond.engine.match_files.sgf.reader import parse_sgf
from gammond.engine.match_files.sgf.tree import MAX_VALUES, format_sgf_node, parse_sgf_trees
from gammond.engine.match_files.sgf.writer import format_sgf
from gammond.engine.rules.game_record import DoubleAction, PlayAction, ResponseAction, RollAction, SetAction
from gammond.engine.rules.match import GameResult, MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import NACKGAMMON, VARIANTS
from tests.engine.match_files.played_games import play_money_games, play_random_match
from tests.support.boards import position

ROOT = "FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[ann]PB[bob]"
OPENING = f"(;{ROOT}RU[Crawford]RE[W+1]\n;B[31qtst]\n;W[double]\n;B[drop])"


@pytest.fixture(scope="module")
def match():
    (match,) = parse_mat(format_mat(("ann", "bob"), play_random_match(), {"EventDate": "2024.06.20"}))
    return match


@pytest.fixture(scope="module")
def money():
    (match,) = parse_mat(format_mat(("ann", "bob"), play_money_games()))
    return match


def only(text):
    (match,) = parse_sgf(text)
    return match


def analysed(match):
    """The match with some numbers behind every action."""
    return replace(match, games=tuple(replace(game, notes=make_notes(game)) for game in match.games))


def make_notes(game):
    outcome = Outcome(0.5, 0.125, 0.0078, 0.25, 0.0625)
    decision = CubeDecision.of_choices(
        Evaluation(0.25, outcome, "2-ply"),
        Evaluation(0.5, Outcome(0.6, 0.2, 0.1, 0.15, 0.05), "2-ply"),
    )
    notes = {}
    for place, (situation, action, _) in enumerate(game.replayed):
        notes[place] = ActionNotes(
            comment=f"a ] and a \\ in {place}\nsecond line", cube=decision, cube_mark="bad"
        )
        if situation.match.beavered:
            notes[place] = replace(notes[place], cube=None, cube_mark="")
        if isinstance(action, PlayAction) and action.play.moves:
            plays = legal_plays(situation.position, action.roll)[:3]
            plays += [action.play] * (action.play not in plays)
            candidates = [
                RankedPlay(play, Evaluation(0.125 - number / 16, outcome, "1-ply"))
                for number, play in enumerate(plays)
            ]
            notes[place] = replace(
                notes[place],
                candidates=tuple(candidates),
                luck=-0.25,
                luck_mark="very unlucky",
                play_mark="doubtful",
            )
    return notes


def assert_near(read, written):
    """Compare all but the last digits of what passed through match-winning chances."""
    assert [game.actions for game in read.games] == [game.actions for game in written.games]
    for one, other in zip(read.games, written.games, strict=True):
        assert replace(one, notes={}) == replace(other, notes={})
        assert one.notes.keys() == other.notes.keys()
        for place, (situation, _, _) in enumerate(one.replayed):
            notes, expected = one.notes[place], other.notes[place]
            assert replace(notes, cube=None) == replace(expected, cube=None)
            assert (notes.cube is None) == (expected.cube is None)
            if notes.cube is not None:
                stake = make_dead_cube_game(situation.match.before_roll()).equity_scale[1]
                assert abs(notes.cube.no_double.equity - expected.cube.no_double.equity) * stake < 1e-6
                assert abs(notes.cube.double_take.equity - expected.cube.double_take.equity) * stake < 1e-6
                assert notes.cube.no_double.outcome == expected.cube.no_double.outcome
                assert notes.cube.double_take.outcome == expected.cube.double_take.outcome


@pytest.mark.parametrize("kind", ["match", "money"])
def test_an_analysis_survives_the_round_trip(kind, request):
    match = analysed(request.getfixturevalue(kind))
    text = format_sgf(match)
    assert_near(only(text), match)
    assert format_sgf(only(text)) == text


def test_comments_headers_and_ratings_survive_the_round_trip(match):
    headers = {
        "Event": "a [day]",
        "Round": "2",
        "Site": "here",
        "Annotator": "x\\y",
        "EventDate": "2024.06.20",
    }
    full = replace(
        match, headers=headers, ratings=(1512.5, None), comment="two\nlines", format="sgf",
        games=(replace(match.games[0], comment="a game"), *match.games[1:]),
    )  # fmt: skip
    assert only(format_sgf(full)) == full


def test_a_game_that_was_set_up_survives_the_round_trip(match):
    begun = MatchState(length=5, score=(1, 2), cube=2, cube_owner=1, on_roll=1)
    board = position({6: 3, 25: 1}, {20: 2, 4: 1})
    play = legal_plays(board, (6, 1))[0]
    again = SetAction(Position.start(), replace(begun, on_roll=0, cube_owner=0, cube=4))
    actions = (PlayAction(1, (6, 1), play), again, RollAction(0, (3, 1)))
    game = replace(match.games[0], initial_state=begun, position=board, actions=actions, result=None)
    (read,) = only(format_sgf(replace(match, length=5, games=(game,)))).games
    assert (read.position, read.initial_state, read.actions) == (board, begun, actions)


def test_an_opening_and_a_drop_are_read():
    match = only(OPENING)
    (game,) = match.games
    assert match.issues == ()
    assert (match.names, match.length) == (("ann", "bob"), 5)
    play, double, response = game.actions
    assert (play.seat, format_play(play.play)) == (1, "8/5 6/5")
    assert (double, response) == (DoubleAction(0, 2), ResponseAction(1, False))
    assert game.result == GameResult(0, 1, 1)


def test_white_and_black_count_from_their_own_sides():
    (game,) = only(f"(;{ROOT};W[31hefe];B[52lqlnx])").games
    assert format_play(game.actions[0].play) == "8/5 6/5"
    (game,) = only(f"(;{ROOT};W[31hefe];B[52lqln])").games
    assert format_play(game.actions[1].play) == "13/8 13/11"


def test_a_dance_is_no_roll_without_a_play():
    setup = "PL[W]AE[a:y]AW[y]AB[s][s][t][t][u][u][v][v][w][w][x][x]"  # Black's six home points are closed
    (game,) = only(f"(;{ROOT}RE[B+1R];{setup};W[21];B[31stsv])").games
    assert [type(action).__name__ for action in game.actions[:2]] == ["PlayAction", "PlayAction"]
    assert game.actions[0].play.moves == ()
    (game,) = only(f"(;{ROOT}RE[B+1R];W[21])").games
    assert isinstance(game.actions[0], RollAction)


def test_dice_that_were_set_and_never_played_are_a_roll():
    (game,) = only(f"(;{ROOT}RE[B+1R];PL[W]DI[52])").games
    assert game.actions[0] == RollAction(0, (5, 2))
    assert game.result == GameResult(1, 1, 1)


def test_the_rules_are_read():
    text = OPENING.replace("length:5", "length:0").replace("Crawford", "NoCube:Jacoby")
    rules = only(text).rules
    assert (rules.jacoby, rules.cube_limit) == (True, 1)
    crawford = OPENING.replace("[bs:0]", "[bs:4]").replace("RU[Crawford]", "RU[Crawford:CrawfordGame]")
    assert only(crawford.replace(";W[double]\n;B[drop]", "")).games[0].initial_state.crawford
    assert not only(OPENING.replace("[bs:0]", "[bs:4]")).games[0].initial_state.crawford


def test_only_the_first_branch_of_a_tree_counts():
    text = OPENING.replace(
        "\n;W[double]\n;B[drop]", "\n(;W[double];B[drop](;X[1](;X[2])))(;W[double];B[take])"
    )
    assert only(text).games[0].actions == only(OPENING).games[0].actions


def test_games_of_other_players_are_another_match():
    one, two = parse_sgf(OPENING + OPENING.replace("PW[ann]", "PW[eve]"))
    assert (one.names[0], two.names[0]) == ("ann", "eve")
    assert len(parse_sgf(OPENING + OPENING.replace("game:0", "game:1"))) == 1


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (OPENING.replace("31qtst", "31qtss"), IssueKind.ILLEGAL_PLAY, "3-1"),
        (OPENING.replace("31qtst", "97rq"), IssueKind.UNREADABLE, "expected dice and moves, double"),
        (OPENING.replace("B[drop]", "W[drop]"), IssueKind.OUT_OF_TURN, "player 2 to act"),
        (OPENING.replace("GM[6]", "GM[1]"), IssueKind.UNSUPPORTED, "GM[6], got GM[1]"),
        (OPENING.replace("Crawford]", "Crawford:Hypergammon4]"), IssueKind.UNSUPPORTED, "hypergammon4"),
        (OPENING.replace("Crawford]", "Crawford:Tavla]"), IssueKind.UNSUPPORTED, "'tavla' in RU is no rule"),
        (OPENING.replace("[ws:0]", "[ws:7]"), IssueKind.IMPOSSIBLE_SCORE, "over at 7-0"),
        (OPENING.replace("RE[W+1]", "RE[W+2]"), IssueKind.WRONG_RESULT, "expected 1"),
        (OPENING.replace(";W[double]", ";CV[3];W[double]"), IssueKind.IMPOSSIBLE_POSITION, "power of two"),
        (OPENING[:-4], IssueKind.UNREADABLE, "value in brackets behind B"),
        (OPENING[:-1], IssueKind.UNREADABLE, "expected ')', got the end"),
        (OPENING.replace(";W[double]", "%"), IssueKind.UNREADABLE, "expected a property"),
    ],
)
def test_a_fault_has_its_line(text, kind, message):
    issues = [issue for match in parse_sgf(text) for issue in match.issues]
    (issue,) = [issue for issue in issues if issue.kind is kind]
    assert message in issue.message
    assert issue.line


def test_nackgammon_begins_in_its_own_position_and_is_written_so():
    found = only(OPENING.replace("Crawford]", "Crawford:Nackgammon]"))
    assert found.issues == ()
    assert found.games[0].position == NACKGAMMON.starting_position
    assert only(format_sgf(found)).games == found.games


@pytest.mark.parametrize(
    ("word", "variant"),
    [("Hypergammon1", "hypergammon1"), ("Hypergammon2", "hypergammon2"), ("Hypergammon3", "hypergammon")],
)
def test_hypergammon_is_named_with_its_number_of_checkers(word, variant):
    found = only(OPENING.replace("Crawford]", f"Crawford:{word}]").replace("31qtst", "52affh"))
    assert found.issues == ()
    assert found.games[0].position == VARIANTS[variant].starting_position
    text = format_sgf(found)
    assert f"RU[Crawford:{word}]" in text
    assert only(text).games == found.games


@pytest.mark.parametrize("moment", ["", ";W[31hefe]"])
def test_the_seat_beside_a_set_position_is_that_of_the_next_action_whatever_is_written(moment):
    setup = ";PL[W]AE[a:y]AW[f][f][f]AB[s][s][s]"
    (match,) = parse_sgf(f"(;{ROOT}RE[B+1R]{moment}{setup};B[61szst];W[21fdfe])")
    assert match.issues == ()
    game = match.games[0]
    assert [action.seat for action in game.actions[-3:-1]] == [1, 0]


def test_a_double_shows_that_gnu_backgammon_took_a_first_game_for_the_crawford_game():
    crawford = OPENING.replace("[bs:0]", "[bs:4]").replace("RU[Crawford]", "RU[Crawford:CrawfordGame]")
    match = only(crawford)
    assert match.issues == ()
    assert not match.games[0].initial_state.crawford


def test_the_actions_before_a_fault_stay():
    (game,) = only(OPENING[:-4]).games
    assert len(game.actions) == 2
    assert game.result == GameResult(0, 1, 1)
    assert game.is_cut


def test_a_text_without_a_game_is_refused():
    with pytest.raises(FormatError, match="expected an SGF file with a game"):
        parse_sgf("no tree")


def test_the_content_shows_the_format():
    (match,) = read_matches(OPENING.encode())
    assert match.format == "sgf"
    with pytest.raises(FormatError):
        read_matches(b"(;FF[4]GM[1]SZ[19];B[aa])")


def test_values_keep_every_character():
    node = {"C": ["a]b\\c[d\n(;e)", "second"], "XY": [""]}
    (tree,) = parse_sgf_trees(f"text before ({format_sgf_node(node)}\n)")
    assert tree.nodes[0].properties == node
    (tree,) = parse_sgf_trees("(;C[a\\\nb\\\r\nc\\:d]Copyright[x])")
    assert tree.nodes[0].properties == {"C": ["abc:d", "x"]}


@pytest.mark.parametrize(
    "text",
    ["(;" * 300_000, "(;A" + "[x]" * (MAX_VALUES + 9), "(;A[" * 300_000, "(" * 500_000, "(;" + ")" * 500_000,
     "(;A[" + "\\" * 500_001, "(;" + "a" * 500_000, "(;A[x]" + "\n" * 500_000 + ";" * 100_000,
     "(;)" * 100_000],
)  # fmt: skip
def test_long_texts_take_time_in_proportion(text):
    started = time.process_time()
    trees = list(parse_sgf_trees(text))
    assert trees or "(;" not in text
    assert time.process_time() - started < 5


ROLLED_PLAY = (
    "qtst X ver 3 Score 0.25 0.2 Trials 36 Output 0.5 0.25 0.01 0.125 0.005 0.2 {} StdDev 1 1 1 1 1 1 {} SK 0"
)
ROLLED_CUBE = (
    "X ver 3 Eq Trials 72 NoDouble Output 0.5 0.25 0.01 0.125 0.005 0.2 {} StdDev 1 1 1 1 1 1 {}"
    " DoubleTake Output 0.5 0.25 0.01 0.125 0.005 0.2 {} StdDev 1 1 1 1 1 1 {} SK 0"
)


@pytest.mark.parametrize("length", [0, 5])
def test_rollouts_are_read_with_their_standard_errors(length):
    """As gnubg writes them: values of money play in points of the cube before, of matches in chances."""
    even, stake = make_dead_cube_game(MatchState(length=length)).equity_scale if length else (0.0, 1.0)
    play = ROLLED_PLAY.format(even + 0.25 * stake, 0.0123456789012345 * stake)
    cube = ROLLED_CUBE.format(
        *(
            f"{number:.15f}"
            for number in (even + 0.5 * stake, 0.03 * stake, even + 0.75 * stake, 0.06 * stake)
        )
    )
    root = ROOT.replace("length:5", f"length:{length}")
    match = only(f"(;{root}RE[W+1]\n;B[31qtst]A[0][{play}];W[double]DA[{cube}];B[drop])")
    (candidate,) = match.games[0].notes[0].candidates
    assert (candidate.evaluation.equity, candidate.evaluation.depth) == (0.25, "rollout")
    assert candidate.evaluation.outcome == (0.5, 0.25, 0.01, 0.125, 0.005)
    assert candidate.evaluation.error == pytest.approx(0.0123456789)
    assert candidate.evaluation.trials == 36
    decision = match.games[0].notes[1].cube
    assert decision.equities[:2] == pytest.approx((0.5, 0.75))
    found = decision.no_double, decision.double_take
    assert [each.error for each in found] == [pytest.approx(0.03), pytest.approx(0.06)]
    assert [(each.depth, each.trials) for each in found] == [("rollout", 72)] * 2


@pytest.mark.parametrize("word", ["Score", "Trials", "Output", "StdDev"])
def test_a_rollout_without_its_numbers_is_left_out(word):
    play = ROLLED_PLAY.format(0.5, 0.01)
    for altered in (play.replace(word, "other"), play[: play.index(word) + len(word) + 1]):
        match = only(f"(;{ROOT}\n;B[31qtst]A[0][{altered}];W[64xn])")
        assert len(match.games[0].actions) == 2
        assert 0 not in match.games[0].notes or not match.games[0].notes[0].candidates


ROLLED_OUT = (
    "(;FF[4]GM[6]MI[length:7][game:0][ws:0][bs:0]PW[ann]PB[bob]RU[Crawford]"
    ";W[31hefe];B[31qtst]DA[X ver 3 Eq Trials 36 NoDouble Output 0.49 0.14 0.006 0.15 0.006 -0.03 0.498 "
    "StdDev 0.002 0.002 0.0003 0.002 0.0003 0.006 0.0008 DoubleTake "
    "Output 0.49 0.14 0.006 0.15 0.006 -0.03 0.474 "
    'StdDev 0.002 0.002 0.0003 0.002 0.0003 0.006 0.00095 SK 0 RC 1 1 0 1 0 1 5 1 1 5 "Mersenne Twister" 3]'
    "A[0][qtst X ver 3 Score -0.14 -0.10 Trials 36 Output 0.47 0.127 0.0055 0.167 0.007 -0.1 0.491 StdDev "
    '0.002 0.0016 0.0002190912492 0.002 0.0003 0.005 0.0005365544348 SK 0 RC 1 1 0 1 0 0 0 1 1 5 "x" 3]'
    "[lost E ver 3 0.45 0.13 0.005 0.168 0.01 -0.186 2C 0 1 0.0 1])"
)


def test_rollouts_are_read_and_written_with_their_errors():
    (match,) = parse_sgf(ROLLED_OUT)
    notes = match.games[0].notes[1]
    stake = make_dead_cube_game(MatchState(length=7, on_roll=1)).equity_scale[1]
    best, other = (each.evaluation for each in notes.candidates)
    assert (best.equity, best.depth, best.trials) == (-0.14, "rollout", 36)
    assert best.error == pytest.approx(0.0005365544348 / stake)
    assert best.outcome == (0.47, 0.127, 0.0055, 0.167, 0.007)
    assert (other.error, other.trials, other.depth) == (None, 0, "2-ply")
    held, taken = notes.cube.no_double, notes.cube.double_take
    assert (held.depth, held.trials, taken.trials) == ("rollout of 5 plies", 36, 36)
    assert (held.error, taken.error) == pytest.approx((0.0008 / stake, 0.00095 / stake))
    (again,) = parse_sgf(format_sgf(match))
    found = again.games[0].notes[1]
    written = found.candidates[0].evaluation, found.cube.no_double, found.cube.double_take
    for one, copy in zip((best, held, taken), written, strict=True):
        assert (copy.depth, copy.trials, copy.outcome) == (one.depth, one.trials, one.outcome)
        assert (copy.equity, copy.error) == pytest.approx((one.equity, one.error), abs=1e-6)
    assert found.candidates[1] == notes.candidates[1]


def test_a_rollout_of_a_money_game_has_the_unit_of_the_cube_before_it():
    (match,) = parse_sgf(ROLLED_OUT.replace("length:7", "length:0"))
    cube = match.games[0].notes[1].cube
    assert cube.equities[:2] == (0.498, 0.474)
    assert (cube.no_double.error, cube.double_take.error) == (0.0008, 0.00095)
    assert parse_sgf(format_sgf(match))[0].games[0].notes[1].cube == cube


def test_half_a_rollout_is_left_out():
    words = ROLLED_OUT.split(" ")
    for place in range(len(words)):
        with contextlib.suppress(GammondError):
            parse_sgf(" ".join([*words[:place], *words[place + 1 :]]))
        with contextlib.suppress(GammondError):
            parse_sgf(" ".join(words[:place]) + "])")
    (match,) = parse_sgf(ROLLED_OUT.replace("Output 0.47 0.127", "Output x 0.127"))
    assert [each.evaluation.depth for each in match.games[0].notes[1].candidates] == ["2-ply"]


def test_a_lost_bracket_semicolon_or_root_costs_no_other_action():
    second = OPENING.replace("game:0", "game:1").replace("bs:0", "bs:1")
    whole = only(OPENING + "\n" + second)
    closed = only(OPENING.replace("drop]", "drop") + "\n" + second)
    assert closed.games == whole.games
    joined = only(OPENING.replace("\n;W[double]", "\nW[double]") + "\n" + second)
    assert joined.games == whole.games
    rootless = only(OPENING + "\n" + second.partition("\n")[2])
    assert [game.actions for game in rootless.games] == [game.actions for game in whole.games]
    assert [(issue.kind, issue.game) for issue in rootless.issues] == [(IssueKind.UNREADABLE, 2)]
