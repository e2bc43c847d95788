"""Altered and hostile match files: games, issues or typed errors, in a time in proportion to their size."""

import random
import time
from contextlib import suppress

import pytest

from gammond.engine.errors import GammondError, LimitError
from gammond.engine.match_files.reading import FORMATS, MAX_FILE_BYTES, read_matches, read_positions
from gammond.engine.match_files.xg.rtf_text import extract_rtf_text
from tests.attacks.match_files import ATTACKS
from tests.attacks.trial import Trial
from tests.engine.match_files.played_games import read_match
from tests.engine.match_files.test_position_report import XG_CUBE

HEAD = "Game 1\na : 0   b : 0\n"
SGF = "(;GM[6]"
SIZE = 100_000
REPEATED = {
    "games": ("", HEAD),
    "rows": (HEAD, " 1) 31: 8/5 6/5\n"),
    "comments": (HEAD + " 1) 31: 8/5 6/5\n", "; x\n"),
    "headers": (HEAD, '; [a "b"]\n'),
    "lines": ("", "zz\n"),
    "fibs-names": ("", "a is X - b"),
    "fibs-scores": ("", "Score is 0-0\na is X - b is O\n"),
    "sgg-names": ("Game 1.0-0\n", " vs. "),
    "sgg-matches": ("", "a vs. b\nGame 1.0-0\n"),
    "tmg-rolls": ("MatchID: 1\nGame 1: 0-0\n", " 1 1 64:\n"),
    "party": ("GAME_1_GAMEPLAY=", "1 Rolls 64 24/18 13/9#"),
    "empire": ("", "a b\n 1) 31: 8/5 6/5\nwin 1\n"),
    "sgf-trees": (SGF, "(;"),
    "sgf-games": ("", "(;GM[6]RE[W+1])"),
    "sgf-values": (f"{SGF}C", "[a]"),
    "sgf-open-values": (SGF, "(;A["),
    "sgf-openings": (SGF, "("),
    "sgf-closings": (SGF, ")"),
    "sgf-escapes": (f"{SGF}C[", "\\"),
    "sgf-letters": (SGF, "a"),
    "sgf-nodes": (SGF, "\n;"),
}
"""The beginning of a match file, and what comes again and again in it."""

MAT_LINES = {
    "header": ";[" + " " * 200 + ' "' * 95 + "x",
    "scores": "a" + " : 1" * 98 + " x",
    "colons": "a" + " " * 150 + ":" + " " * 150 + ":",
    "tabs": "a :" + "\t" * 390 + "1",
    "cells": "1)" + " 31:" * 99,
}
"""On which an expression that backtracks takes seconds to minutes."""

REPORT_PIECES = "1. ", "1. 1/1 ", "eq:+0.1 ", "(+0.1) ", ": +0.1 ", "a b ", "0.1 ", "X: a 1 "
RTF_PIECES = "{", "}", "\\", "{\\b ", "\\'", "\\u1?", "\\uc9999999999 ", "a" * 50, "\\*"
HOSTILE = {
    **{name: (read_matches, *parts) for name, parts in REPEATED.items()},
    **{
        f"mat-{name}-{place}": (read_matches, begun, f"{line}\n")
        for name, line in MAT_LINES.items()
        for place, begun in enumerate(("", "Game 1\n", HEAD))
    },
    **{f"report {piece}": (read_positions, XG_CUBE, (piece * 400)[:399] + "\n") for piece in REPORT_PIECES},
    **{
        f"rtf {piece}": (lambda text: extract_rtf_text(text.decode()), r"{\rtf1\ansi ", piece)
        for piece in RTF_PIECES
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_altered_files_give_games_issues_or_typed_errors(attack):
    attack.run(Trial(None, random.Random(3), is_small=True, note=lambda words: None))


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_takes_a_time_in_proportion_to_its_size(name):
    read, beginning, part = HOSTILE[name]
    began_s = time.process_time()
    with suppress(GammondError):
        read((beginning + part * (SIZE // len(part))).encode())
    assert time.process_time() - began_s < 5  # a time that grows with the square takes minutes


def test_files_that_are_too_large_are_refused(tmp_path):
    file = tmp_path / "large.mat"
    file.write_bytes(b" " * (MAX_FILE_BYTES + 1))
    with pytest.raises(LimitError, match=r"large\.mat: expected at most 20,000,000 bytes"):
        read_matches(file)
    (mat,) = [known for known in FORMATS if known.name == "mat"]
    with pytest.raises(LimitError, match="expected at most 4,000,000 bytes of mat, got 4,000,00"):
        read_matches((HEAD + "\n" * (mat.max_bytes - len(HEAD) + 1)).encode())


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("cp1252", b""),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_encoding_and_the_ends_of_lines_make_no_difference(encoding, mark, end):
    head = '; [Event "Köln"]\n 5 point match\n Game 1\n Zoë : 0    b : 0\n'
    text = f"{head}  1) 31: 8/5 6/5\n      Wins 1 point\n\x1a"
    match = read_match(mark + text.replace("\n", end).encode(encoding))
    assert (match.names, match.headers["Event"], match.issues) == (("Zoë", "b"), "Köln", ())
