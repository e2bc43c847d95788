"""Altered bytes of .xg files raise nothing but typed errors, soon."""

from __future__ import annotations

import random
import time
from contextlib import suppress

import pytest

from gammond.engine.errors import GammondError
from gammond.engine.match_files.reading import read_matches
from tests.engine.match_files.played_games import play_money_games
from tests.engine.match_files.xg import xg_files


@pytest.fixture(scope="module")
def records():
    return xg_files.write_games(("one", "two"), play_money_games()[:1])


def alter(rng, data, count):
    altered = bytearray(data)
    for _ in range(count):
        altered[rng.randrange(len(altered))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    return bytes(altered)


@pytest.mark.parametrize("seed", range(4))
def test_altered_records_give_issues(seed, records):
    rng = random.Random(seed)
    content = b"".join(records)
    for _ in range(15):
        began = time.process_time()
        altered = alter(rng, content, rng.choice((1, 20, 400)))
        with suppress(GammondError):
            (found,) = read_matches(xg_files.make_file([altered]))
            assert all(str(issue).isprintable() for issue in found.issues)
        assert time.process_time() - began < 5


@pytest.mark.parametrize("seed", range(4))
def test_altered_files_give_issues_or_errors(seed, records):
    rng = random.Random(100 + seed)
    data = xg_files.make_file(records, ["{\\rtf1 a}"])
    for _ in range(60):
        altered = alter(rng, data, rng.choice((1, 3, 30)))
        altered = altered[: rng.choice((len(altered), rng.randrange(len(altered))))]
        with suppress(GammondError):
            read_matches(altered)
