"""Matches of other programs, where a folder of them is named: a match is the same in several formats.

Set GAMMOND_SAMPLES to a folder with `xg/`, `mat/`, `sgf/`, `xg_txt/` and `bgblitz_txt/` in it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.match_files.reading import read_matches

SAMPLES = os.environ.get("GAMMOND_SAMPLES")
NAME = "charlot1-charlot2_7p"

pytestmark = pytest.mark.skipif(not SAMPLES, reason="GAMMOND_SAMPLES names no folder of samples")


def read(name):
    (match,) = read_matches(Path(SAMPLES) / name)
    return match


@pytest.mark.parametrize("name", [f"mat/{NAME}.mat", f"sgf/{NAME}.sgf"])
def test_the_same_match_in_three_formats_has_the_same_games(name):
    ours, other = read(f"xg/{NAME}.xg"), read(name)
    assert ours.issues == other.issues == ()
    assert (ours.names, ours.length) == (other.names, other.length)
    assert len(ours.games) == 4
    for game, same in zip(ours.games, other.games, strict=True):
        assert (game.initial_state, game.position) == (same.initial_state, same.position)
        assert game.actions == same.actions
        assert game.result == same.result


def test_the_analysis_of_every_play_is_found():
    match = read(f"xg/{NAME}.xg")
    notes = [note for game in match.games for note in game.notes.values()]
    assert sum(bool(note.candidates) for note in notes) == 94 + 95
    assert match.headers["EventDate"] == "2025.11.08"


def test_a_file_without_a_match_says_so():
    with pytest.raises(Exception, match=r"temp\.xg: expected zlib data"):
        read("xg/xgdatatools_example.xg")
