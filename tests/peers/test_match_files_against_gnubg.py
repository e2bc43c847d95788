"""Match files against GNU Backgammon itself: what it makes of those that are written here."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace

import pytest

from engine.match_files.mat.reader import parse_mat
from engine.match_files.mat.writer import format_mat
from engine.match_files.model import ActionNotes, RecordedCandidate, RecordedEvaluation
from engine.match_files.sgf.reader import parse_sgf
from engine.match_files.sgf.writer import format_sgf
from engine.rules.game_record import PlayAction
from engine.rules.moves import legal_plays
from tests.engine.match_files.played_games import play_money_games, play_random_match
from tools.gnubg import find_gnubg

pytestmark = pytest.mark.peer

OUTCOME = (0.5625, 0.125, 0.0625, 0.25, 0.0)


def run_gnubg(folder, *commands):
    """Run commands, and return what gnubg says; its files are in the folder."""
    program = find_gnubg()
    if program is None:
        pytest.skip("needs the program gnubg (Debian: apt-get install gnubg)")
    settings = ("set automatic game off", "set confirm new off", "set confirm save off")
    done = subprocess.run(
        [program, "-t", "-q", "-r"],
        input="\n".join([*settings, *commands, "quit", "y"]) + "\n",
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "LC_ALL": "C"},
        check=True,
    )
    return done.stdout


def note_plays(game):
    """Give each play that moves the first legal plays as candidates, and the roll some luck."""
    notes = {}
    for place, (situation, action) in enumerate(game.replay()):
        if isinstance(action, PlayAction) and action.play.moves:
            plays = [action.play, *legal_plays(situation.position, action.roll)[:2]]
            candidates = tuple(
                RecordedCandidate(play, RecordedEvaluation(0.125 - rank / 16, OUTCOME, "2-ply"))
                for rank, play in enumerate(dict.fromkeys(plays))
            )
            notes[place] = ActionNotes(candidates=candidates, luck=0.25, comment=f"comment {place}")
    return replace(game, notes=notes)


@pytest.mark.parametrize("play", [play_random_match, play_money_games])
def test_gnubg_reads_an_sgf_and_shows_its_analysis(play, tmp_path):
    (match,) = parse_mat(format_mat(("ann", "bob"), play()))
    match = replace(match, games=tuple(map(note_plays, match.games)))
    (tmp_path / "ours.sgf").write_text(format_sgf(match))
    run_gnubg(
        tmp_path, "load match ours.sgf", "export match mat theirs.mat", "export match text theirs.txt",
        "save match theirs.sgf",
    )  # fmt: skip
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
