"""Altered and hostile match files: games, issues or typed errors, in a time in proportion to their size."""

from __future__ import annotations

import random
import time
from contextlib import suppress

import pytest

from gammond.engine.errors import FormatError, LimitError
from gammond.engine.match_files.reading import FORMATS, MAX_FILE_BYTES, read_matches
from tests.attacks.match_files import ATTACKS
from tests.attacks.trial import Trial

HEAD = "Game 1\na : 0   b : 0\n"
REPEATED = {
    "games": ("", "Game 1\na : 0   b : 0\n"),
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
    "sgf-trees": ("(;GM[6]", "(;"),
    "sgf-values": ("(;GM[6]C", "[a]"),
}
SIZE = 200_000


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_altered_files_give_games_issues_or_typed_errors(attack):
    attack.run(Trial(None, random.Random(3), is_small=True, note=lambda words: None))


@pytest.mark.parametrize("name", REPEATED)
def test_a_hostile_file_takes_a_time_in_proportion_to_its_size(name):
    beginning, part = REPEATED[name]
    began_s = time.process_time()
    with suppress(FormatError):
        read_matches((beginning + part * (SIZE // len(part))).encode())
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
    text = (
        '; [Event "Köln"]\n 5 point match\n Game 1\n Zoë : 0    b : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n'
    )
    (match,) = read_matches(mark + text.replace("\n", end).encode(encoding))
    assert (match.names, match.headers["Event"], match.issues) == (("Zoë", "b"), "Köln", ())
