"""Match files against GNU Backgammon itself: the actions that it reads, and the analysis that it shows."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gammond.engine.errors import UnsupportedError
from gammond.engine.evaluation.results import CubeDecision, Evaluation, RankedPlay
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.mat.writer import format_mat, format_match
from gammond.engine.match_files.model import ActionNotes
from gammond.engine.match_files.reading import read_matches
from gammond.engine.match_files.sgf.reader import parse_sgf
from gammond.engine.match_files.sgf.writer import format_sgf
from gammond.engine.rules.game_record import DoubleAction, PlayAction
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.rules import HYPERGAMMON, HYPERGAMMON_1, HYPERGAMMON_2, NACKGAMMON
from tests.engine.match_files import played_games
from tests.engine.match_files.sites import site_files
from tests.engine.match_files.test_position_report import BGBLITZ_CUBE, BGBLITZ_PLAYS, XG_CUBE, XG_PLAYS
from tests.engine.match_files.xg import xg_files
from tests.peers.gnubg_files import NOT_RECOGNISED, ask, check_copies, list_actions

pytestmark = pytest.mark.peer

VARIANTS = NACKGAMMON, HYPERGAMMON, HYPERGAMMON_2, HYPERGAMMON_1

OUTCOME = Outcome(0.5625, 0.125, 0.0625, 0.25, 0.0)

RESIGNED_MATCH = """\
 5 point match

 Game 1
 ann : 0                               bob : 0
  1)                                   31: 8/5 6/5
  2) 52: 24/22 13/8                    64: 24/14
  3) 21: 24/23 6/4                     Doubles => 2
  4)  Takes                            ????
      Wins 2 points

 Game 2
 ann : 2                               bob : 0
  1) 61: 13/7 8/7                      52: 13/8 24/22
  2) 33: 24/21(2) 6/3(2)*              44: bar/21 24/20 13/9(2)
  3)  Doubles => 2                      Takes
  4) 65: 21/10                         61: 13/7 8/7
                                        Wins 2 points

 Game 3
 ann : 2                               bob : 2
  1) 61: 13/7 8/7                      52: 13/8 24/22
      Wins 2 points

 Game 4
 ann : 4                               bob : 3
  1) 61: 13/7 8/7                      52: 13/8 24/22
                                        Wins 2 points and the match
"""
"""Moves of one checker joined, a roll that was given up, games that either side resigns, a Crawford game."""

BEAVERED_GAMES = """\
 0 point match

 Game 1
 ann : 0                               bob : 0
  1)                                   31: 8/5 6/5
  2)  Doubles => 2                      Beavers => 4
  3) 64: 24/18 13/9                    31: 24/23 13/10
  4) 65: 18/7                          62: 24/18 13/11
      Wins 4 points

 Game 2
 ann : 4                               bob : 0
  1) 31: 8/5 6/5                        Doubles => 2
  2)  Beavers => 4                     64: 24/18 13/9
  3) 31: 24/23 13/10                   65: 18/7
                                        Wins 4 points
"""

SET_GAME = """\
(;FF[4]GM[6]AP[x]MI[length:5][game:0][ws:0][bs:0]PW[ann]PB[bob]RU[Crawford]RE[W+2R]
;CP[w];CV[2];PL[W]AE[a:y]AW[a][a][b][b][c][f][f][f][h]AB[x][x][w][w][v][v][t][t][l][l]
;W[31hefe]
;B[64lrlp])
"""
"""A game that begins in a position which was set by hand, with the cube turned."""


def write_mat(games):
    return format_mat(site_files.NAMES, games)


def write_sgf(games):
    (match,) = parse_mat(write_mat(games))
    return format_sgf(match)


WRITERS = {
    "mat": write_mat,
    "sgf": write_sgf,
    "oldmoves": site_files.write_oldmoves,
    "sgg": site_files.write_sgg,
    "tmg": site_files.write_tmg,
    "empire": site_files.write_empire,
}


@pytest.mark.parametrize("play", [played_games.play_random_match, played_games.play_money_games])
@pytest.mark.parametrize("format_name", WRITERS)
def test_gnubg_reads_the_same_actions(format_name, play, tmp_path):
    file = tmp_path / "ours"
    file.write_text(WRITERS[format_name](play()))
    assert check_copies(file, format_name, tmp_path) > 300


@pytest.mark.parametrize(
    "games",
    [RESIGNED_MATCH, BEAVERED_GAMES, *VARIANTS],
    ids=["resigned", "beavered", *(each.name for each in VARIANTS)],
)
@pytest.mark.parametrize(
    ("format_name", "write"),
    [("mat", lambda text: text), ("mat", lambda text: format_match(*parse_mat(text))),
     ("sgf", lambda text: format_sgf(*parse_mat(text)))],
    ids=["given", "mat", "sgf"],
)  # fmt: skip
def test_gnubg_reads_resignations_beavers_and_variants_as_they_are_read_here(
    format_name, write, games, tmp_path
):
    file = tmp_path / "ours"
    text = games if isinstance(games, str) else write_mat(played_games.play_variant_match(games))
    file.write_text(write(text))
    check_copies(file, format_name, tmp_path)


def test_gnubg_reads_a_position_that_was_set(tmp_path):
    """It cannot write one into a .mat file."""
    file = tmp_path / "ours"
    for text in (SET_GAME, format_sgf(*parse_sgf(SET_GAME))):
        file.write_text(text)
        assert check_copies(file, "sgf", tmp_path, kinds=("sgf",)) == 3


@pytest.mark.parametrize(
    "make_content",
    [
        lambda: xg_files.make_file(
            xg_files.write_games(site_files.NAMES, played_games.play_money_games()[:1])
        ),
        *(text.encode for text in (XG_PLAYS, XG_CUBE, BGBLITZ_PLAYS, BGBLITZ_CUBE)),
    ],
    ids=["xg", "xg-plays", "xg-cube", "bgblitz-plays", "bgblitz-cube"],
)
def test_gnubg_says_which_formats_it_does_not_know(make_content, tmp_path):
    (tmp_path / "ours").write_bytes(make_content())
    assert NOT_RECOGNISED in ask(["import auto ours"], tmp_path).text


def test_gnubg_ends_with_a_fault_once_it_has_read_the_games_of_partygammon(tmp_path):
    """It turns them into a .mat file first, of which a whole number of blocks is left."""
    file = tmp_path / "ours"
    file.write_text(site_files.write_party(played_games.play_random_match()))
    with pytest.raises(UnsupportedError, match="gnubg ended with status -6"):
        ask(["import party ours"], tmp_path)
    (ours,), (theirs,) = read_matches(file), read_matches(tmp_path / "ours.mat")
    assert (tmp_path / "ours.mat").stat().st_size % 4096 == 0
    assert len(theirs.games[0].actions) == len(ours.games[0].actions)
    for game, copy in zip(ours.games, theirs.games, strict=True):  # its "Double" has no cube behind it
        assert list_actions(copy) == list_actions(game)[: len(copy.actions)]


def note_plays(game):
    """Give each play that moves the first legal plays as candidates, and the roll some luck."""
    notes = {}
    for place, (situation, action, _) in enumerate(game.replayed):
        if isinstance(action, PlayAction) and action.play.moves:
            plays = [action.play, *legal_plays(situation.position, action.roll)[:2]]
            candidates = tuple(
                RankedPlay(play, Evaluation(0.125 - rank / 16, OUTCOME, "2-ply"))
                for rank, play in enumerate(dict.fromkeys(plays))
            )
            notes[place] = ActionNotes(candidates=candidates, luck=0.25, comment=f"comment {place}")
    return replace(game, notes=notes)


@pytest.mark.parametrize("play", [played_games.play_random_match, played_games.play_money_games])
def test_gnubg_reads_an_sgf_and_shows_its_analysis(play, tmp_path):
    (match,) = parse_mat(format_mat(("ann", "bob"), play()))
    match = replace(match, games=tuple(map(note_plays, match.games)))
    (tmp_path / "ours.sgf").write_text(format_sgf(match))
    exports = "export match mat theirs.mat", "export match text theirs.txt", "save match theirs.sgf"
    ask(["load match ours.sgf", *exports], tmp_path)
    (mat,) = parse_mat((tmp_path / "theirs.mat").read_text())
    (sgf,) = parse_sgf((tmp_path / "theirs.sgf").read_text())
    for theirs in (mat, sgf):
        assert [game.actions for game in theirs.games] == [game.actions for game in match.games]
        assert [game.result for game in theirs.games] == [game.result for game in match.games]
    texts = [path.read_text() for path in sorted(tmp_path.glob("theirs*.txt"))]
    assert len(texts) == len(match.games)
    for text, game, again in zip(texts, match.games, sgf.games, strict=True):
        assert len(re.findall(r"Cubeful 2-ply .* Eq\.: *\+0\.125", text)) == len(game.notes)
        assert {place: notes.candidates for place, notes in again.notes.items()} == {
            place: notes.candidates for place, notes in game.notes.items()
        }
        assert all(notes.luck == 0.25 for notes in again.notes.values())


ROLLED = Evaluation(0.125, OUTCOME, "rollout", 0.0078125, 144)


def note_rollouts(game):
    """Give each play that moves a rollout, and each double one of both choices."""
    cube = CubeDecision.of_choices(ROLLED._replace(equity=0.25), ROLLED._replace(equity=0.5))
    notes = {}
    for place, action in enumerate(game.actions):
        if isinstance(action, PlayAction) and action.play.moves:
            notes[place] = ActionNotes(candidates=(RankedPlay(action.play, ROLLED),))
        elif isinstance(action, DoubleAction):
            notes[place] = ActionNotes(cube=cube)
    return replace(game, notes=notes)


@pytest.mark.parametrize("play", [played_games.play_random_match, played_games.play_money_games])
def test_gnubg_shows_rollouts_and_cube_decisions_of_an_sgf(play, tmp_path):
    (match,) = parse_mat(format_mat(("ann", "bob"), play()))
    match = replace(match, games=tuple(map(note_rollouts, match.games)))
    (tmp_path / "ours.sgf").write_text(format_sgf(match))
    ask(["load match ours.sgf", "export match text theirs.txt", "save match theirs.sgf"], tmp_path)
    text = "".join(path.read_text() for path in sorted(tmp_path.glob("theirs*.txt")))
    notes = [each for game in match.games for each in game.notes.values()]
    doubles = sum(each.cube is not None for each in notes)
    assert doubles > 1
    assert len(re.findall(r"1\. Rollout .* Eq\.: *\+0\.125", text)) == len(notes) - doubles
    assert len(re.findall(r"No double +\+0\.250", text)) == doubles
    assert len(re.findall(r"(?:Double|Redouble), take +\+0\.500", text)) == doubles
    (theirs,) = parse_sgf((tmp_path / "theirs.sgf").read_text())
    for game, copy in zip(match.games, theirs.games, strict=True):
        for place, ours in game.notes.items():
            assert_near(copy.notes[place], ours)


def assert_near(theirs, ours):
    for copy, evaluation in zip(list_evaluations(theirs), list_evaluations(ours), strict=True):
        assert (copy.trials, copy.depth) == (evaluation.trials, evaluation.depth)
        assert copy.outcome == pytest.approx(evaluation.outcome, abs=1e-5)
        assert (copy.equity, copy.error) == pytest.approx((evaluation.equity, evaluation.error), abs=1e-4)


def list_evaluations(notes):
    cube = [notes.cube.no_double, notes.cube.double_take] if notes.cube else []
    return [each.evaluation for each in notes.candidates] + cube
