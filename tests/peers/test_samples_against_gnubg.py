"""Match files of others against GNU Backgammon, action by action, where a folder of them is named.

Set GAMMOND_SAMPLES as for `tests/engine/match_files/test_samples.py`. These tests have no marker `peer`: CI
must not skip any that have it.
"""

from __future__ import annotations

import os
import re
import tarfile
from pathlib import Path

import pytest

from gammond.engine.errors import FormatError, PositionError, UnsupportedError
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.snowie import decode_snowie
from gammond.engine.match_files.model import IssueKind
from gammond.engine.match_files.reading import read_matches
from gammond.engine.rules.game_record import ResignationAction
from tests.peers.gnubg_files import COMMANDS, NOT_RECOGNISED, ask, check_copies, list_actions

SAMPLES = os.environ.get("GAMMOND_SAMPLES")
FILES = [path for path in sorted(Path(SAMPLES).rglob("*")) if path.is_file()] if SAMPLES else []

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SAMPLES, reason="GAMMOND_SAMPLES names no folder of samples"),
]


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.relative_to(SAMPLES).as_posix())
def test_gnubg_agrees_on_each_sample_or_says_why_not(file, tmp_path):
    try:
        (ours,) = read_matches(file)
    except FormatError:
        check_not_a_match(file, tmp_path)
        return
    if any(issue.kind is IssueKind.UNSUPPORTED and "hyper" in issue.message.lower() for issue in ours.issues):
        assert ours.games == ()
    elif ours.format in COMMANDS:
        assert ours.issues == ()
        assert check_copies(file, ours.format, tmp_path) > 0
    elif ours.format == "party":
        (tmp_path / "given").write_bytes(file.read_bytes())
        with pytest.raises(UnsupportedError, match="double free or corruption"):
            ask(["import party given"], tmp_path)
    else:
        assert ours.format == "xg"
        assert NOT_RECOGNISED in import_any(file, tmp_path)


def check_not_a_match(file, folder):
    """Neither does gnubg know what is no match; in Snowie's line it reads the same position."""
    said = import_any(file, folder, "show board")
    if NOT_RECOGNISED in said:
        return
    text = file.read_text()
    length, _, _, _, _, _, _, _, own, other, *_ = text.split(";")
    if max(int(own), int(other)) >= int(length) > 0:  # the position after a match
        with pytest.raises(PositionError, match="the match to 7 is over"):
            decode_snowie(text)
        return
    position, match = decode_snowie(text)
    shown = re.findall(r"Position ID: (\S{14})\s+Match ID   : (\S{12})", said)
    assert shown[-1] == (encode_position_id(position), encode_match_id(match))


def import_any(file, folder, *commands):
    (folder / "given").write_bytes(file.read_bytes())
    return ask(["import auto given", *commands], folder).text


def test_gnubg_agrees_on_each_action_of_the_collection(tmp_path):
    ours = {}
    with tarfile.open(Path(SAMPLES).parent / "matches.tar.gz") as archive:
        for member in archive:
            if member.name.endswith(".txt"):
                content = archive.extractfile(member).read()
                name = Path(member.name).stem
                (tmp_path / f"{name}.mat").write_bytes(content)
                (ours[name],) = read_matches(content)
    ask(
        [word for name in ours for word in (f"import mat {name}.mat", f"save match {name}.sgf")],
        tmp_path,
        500,
    )
    actions, other_ends = 0, []
    for name, match in ours.items():
        (theirs,) = read_matches(tmp_path / f"{name}.sgf")
        played = [without_resignation(game) for game in match.games]
        copied = [without_resignation(game) for game in theirs.games]
        if copied != played or list_results(theirs) != list_results(match):
            other_ends.append(name)
        if name == "match0487":  # a row that was put together of two, which gnubg reads in part
            assert copied[:2] == played[:2]
            assert copied[2][: len(played[2])] == played[2]
        elif name != "match1373":  # a game without an action
            assert copied == played
        actions += sum(map(len, played))
    assert actions > 180_000
    # those two, ten games that ended with a dance, which gnubg writes twice, and six with impossible points
    assert len(other_ends) == 18


def without_resignation(game):
    return list_actions(game)[: -1 if isinstance(game.actions[-1], ResignationAction) else None]


def list_results(match):
    return [game.result for game in match.games]
