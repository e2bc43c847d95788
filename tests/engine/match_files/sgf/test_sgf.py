"""SGF of backgammon: trees, what is read, and that a match survives being written with its analysis."""

import contextlib
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
from gammond.engine.match_files.sgf.tree import format_sgf_node, parse_sgf_trees
from gammond.engine.match_files.sgf.writer import format_sgf
from gammond.engine.rules.game_record import DoubleAction, PlayAction, ResponseAction, RollAction
from gammond.engine.rules.match import GameResult, MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.outcome import Outcome
from tests.engine.match_files.played_games import read_match

ROOT = "FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[ann]PB[bob]"
OPENING = f"(;{ROOT}RU[Crawford]RE[W+1]\n;B[31qtst]\n;W[double]\n;B[drop])"


@pytest.fixture
def recorded(match):
    (match,) = parse_mat(format_mat(("ann", "bob"), match, {"EventDate": "2024.06.20"}))
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
    (match,) = parse_mat(format_mat(("ann", "bob"), request.getfixturevalue(kind)))
    match = analysed(match)
    text = format_sgf(match)
    assert_near(read_match(text), match)
    assert format_sgf(read_match(text)) == text


def test_comments_headers_and_ratings_survive_the_round_trip(recorded):
    headers = {
        "Event": "a [day]",
        "Round": "2",
        "Site": "here",
        "Annotator": "x\\y",
        "EventDate": "2024.06.20",
    }
    full = replace(
        recorded, headers=headers, ratings=(1512.5, None), comment="two\nlines", format="sgf",
        games=(replace(recorded.games[0], comment="a game"), *recorded.games[1:]),
    )  # fmt: skip
    assert read_match(format_sgf(full)) == full


def test_an_opening_and_a_drop_are_read():
    match = read_match(OPENING)
    (game,) = match.games
    assert match.issues == ()
    assert (match.names, match.length) == (("ann", "bob"), 5)
    play, double, response = game.actions
    assert (play.seat, format_play(play.play)) == (1, "8/5 6/5")
    assert (double, response) == (DoubleAction(0, 2), ResponseAction(1, False))
    assert game.result == GameResult(0, 1, 1)


def test_white_and_black_count_from_their_own_sides():
    (game,) = read_match(f"(;{ROOT};W[31hefe];B[52lqlnx])").games
    assert format_play(game.actions[0].play) == "8/5 6/5"
    (game,) = read_match(f"(;{ROOT};W[31hefe];B[52lqln])").games
    assert format_play(game.actions[1].play) == "13/8 13/11"


def test_a_dance_is_no_roll_without_a_play():
    setup = "PL[W]AE[a:y]AW[y]AB[s][s][t][t][u][u][v][v][w][w][x][x]"  # Black's six home points are closed
    (game,) = read_match(f"(;{ROOT}RE[B+1R];{setup};W[21];B[31stsv])").games
    assert [type(action).__name__ for action in game.actions[:2]] == ["PlayAction", "PlayAction"]
    assert game.actions[0].play.moves == ()
    (game,) = read_match(f"(;{ROOT}RE[B+1R];W[21])").games
    assert isinstance(game.actions[0], RollAction)


def test_dice_that_were_set_and_never_played_are_a_roll():
    (game,) = read_match(f"(;{ROOT}RE[B+1R];PL[W]DI[52])").games
    assert game.actions[0] == RollAction(0, (5, 2))
    assert game.result == GameResult(1, 1, 1)


def test_the_rules_are_read():
    text = OPENING.replace("length:5", "length:0").replace("Crawford", "NoCube:Jacoby")
    rules = read_match(text).rules
    assert (rules.jacoby, rules.cube_limit) == (True, 1)
    crawford = OPENING.replace("[bs:0]", "[bs:4]").replace("RU[Crawford]", "RU[Crawford:CrawfordGame]")
    assert read_match(crawford.replace(";W[double]\n;B[drop]", "")).games[0].initial_state.crawford
    assert not read_match(OPENING.replace("[bs:0]", "[bs:4]")).games[0].initial_state.crawford


def test_only_the_first_branch_of_a_tree_counts():
    text = OPENING.replace(
        "\n;W[double]\n;B[drop]", "\n(;W[double];B[drop](;X[1](;X[2])))(;W[double];B[take])"
    )
    assert read_match(text).games[0].actions == read_match(OPENING).games[0].actions


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


@pytest.mark.parametrize("moment", ["", ";W[31hefe]"])
def test_the_seat_beside_a_set_position_is_that_of_the_next_action_whatever_is_written(moment):
    setup = ";PL[W]AE[a:y]AW[f][f][f]AB[s][s][s]"
    (match,) = parse_sgf(f"(;{ROOT}RE[B+1R]{moment}{setup};B[61szst];W[21fdfe])")
    assert match.issues == ()
    game = match.games[0]
    assert [action.seat for action in game.actions[-3:-1]] == [1, 0]


def test_a_double_shows_that_gnu_backgammon_took_a_first_game_for_the_crawford_game():
    crawford = OPENING.replace("[bs:0]", "[bs:4]").replace("RU[Crawford]", "RU[Crawford:CrawfordGame]")
    match = read_match(crawford)
    assert match.issues == ()
    assert not match.games[0].initial_state.crawford


def test_the_actions_before_a_fault_stay():
    (game,) = read_match(OPENING[:-4]).games
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


@pytest.mark.parametrize("length", [0, 7])
def test_rollouts_are_read_and_written_with_their_errors(length):
    """Numbers of a match are chances to win it; those of a money game are in units of the cube before it."""
    match = read_match(ROLLED_OUT.replace("length:7", f"length:{length}"))
    notes = match.games[0].notes[1]
    even, stake = make_dead_cube_game(MatchState(length=7, on_roll=1)).equity_scale if length else (0.0, 1.0)
    best, other = (each.evaluation for each in notes.candidates)
    assert (best.equity, best.depth, best.trials) == (-0.14, "rollout", 36)
    assert best.error == pytest.approx(0.0005365544348 / stake)
    assert best.outcome == (0.47, 0.127, 0.0055, 0.167, 0.007)
    assert (other.error, other.trials, other.depth) == (None, 0, "2-ply")
    held, taken = notes.cube.no_double, notes.cube.double_take
    assert (held.depth, held.trials, taken.trials) == ("rollout of 5 plies", 36, 36)
    assert (held.equity, taken.equity) == pytest.approx(((0.498 - even) / stake, (0.474 - even) / stake))
    assert (held.error, taken.error) == pytest.approx((0.0008 / stake, 0.00095 / stake))
    found = read_match(format_sgf(match)).games[0].notes[1]
    written = found.candidates[0].evaluation, found.cube.no_double, found.cube.double_take
    for one, copy in zip((best, held, taken), written, strict=True):
        assert (copy.depth, copy.trials, copy.outcome) == (one.depth, one.trials, one.outcome)
        assert (copy.equity, copy.error) == pytest.approx((one.equity, one.error), abs=1e-6)
    assert found.candidates[1] == notes.candidates[1]


def test_half_a_rollout_is_left_out():
    words = ROLLED_OUT.split(" ")
    for place in range(len(words)):
        with contextlib.suppress(GammondError):
            parse_sgf(" ".join([*words[:place], *words[place + 1 :]]))
        with contextlib.suppress(GammondError):
            parse_sgf(" ".join(words[:place]) + "])")
    start = ROLLED_OUT.index("A[0]")
    for word in ("Score", "Trials", "Output", "StdDev", "0.127"):
        match = read_match(ROLLED_OUT[:start] + ROLLED_OUT[start:].replace(word, "other"))
        assert [each.evaluation.depth for each in match.games[0].notes[1].candidates] == ["2-ply"]


def test_a_double_that_is_there_twice_and_a_lost_bracket_semicolon_or_root_cost_no_other_action():
    second = OPENING.replace("game:0", "game:1").replace("bs:0", "bs:1")
    whole = read_match(OPENING + "\n" + second)
    twice = read_match(OPENING.replace(";W[double]", ";W[double];W[double]") + "\n" + second)
    assert twice.games == whole.games
    assert ([issue.kind for issue in twice.issues], twice.is_whole) == ([IssueKind.OUT_OF_TURN], True)
    closed = read_match(OPENING.replace("drop]", "drop") + "\n" + second)
    assert closed.games == whole.games
    joined = read_match(OPENING.replace("\n;W[double]", "\nW[double]") + "\n" + second)
    assert joined.games == whole.games
    assert len(read_match(OPENING + "\n" + second.removeprefix("(")).games) == 2
    rootless = read_match(OPENING + "\n" + second.partition("\n")[2])
    assert [game.actions for game in rootless.games] == [game.actions for game in whole.games]
    assert [(issue.kind, issue.game) for issue in rootless.issues] == [(IssueKind.UNREADABLE, 2)]
