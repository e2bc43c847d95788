"""1,500 matches of a site, where they are at hand: all are read, and what is wrong with them is true."""

import os
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from gammond.engine.match_files.model import IssueKind
from gammond.engine.match_files.reading import read_matches

SAMPLES = os.environ.get("GAMMOND_SAMPLES")


@pytest.mark.skipif(not SAMPLES, reason="GAMMOND_SAMPLES names no folder of samples")
def test_all_matches_are_read_but_what_their_files_say_wrongly():
    files, games, kinds = 0, 0, Counter()
    with tarfile.open(Path(SAMPLES).parent / "matches.tar.gz") as archive:
        for member in archive:
            if not member.name.endswith(".txt"):
                continue
            (match,) = read_matches(archive.extractfile(member).read(), name=member.name)
            files, games = files + 1, games + len(match.games)
            kinds.update(issue.kind for issue in match.issues)
    assert (files, games) == (1500, 4263)
    # gammons counted as one point, results that no resignation at that cube has, and a row of four cells
    assert kinds == {IssueKind.WRONG_RESULT: 10, IssueKind.UNREADABLE: 1, IssueKind.MISSING: 1}
