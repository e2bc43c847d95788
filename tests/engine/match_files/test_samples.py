"""Matches of other programs, where a folder of them is named: a match is the same in several formats.

Set GAMMOND_SAMPLES to a folder with `xg/`, `mat/`, `sgf/`, `xg_txt/` and `bgblitz_txt/` in it.
"""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.errors import GammondError
from gammond.engine.match_analysis.decisions import rate_actions
from gammond.engine.match_analysis.statistics import compute_statistics
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.mat.writer import format_match
from gammond.engine.match_files.reading import read_matches, read_positions
from gammond.engine.match_files.sgf.reader import parse_sgf
from gammond.engine.match_files.sgf.writer import format_sgf
from gammond.engine.match_files.xg.container import unpack_container
from gammond.engine.match_files.xg.records import (
    CUBE,
    PLAY,
    decode_dice,
    decode_play,
    decode_record,
    decode_seat,
    split_records,
)

SAMPLES = os.environ.get("GAMMOND_SAMPLES")
POSITION_NAMES = "01_checkerPosition", "02_NDT", "03_DT", "04_DP", "05_NRT", "06_RT", "07_RP"
NAME = "charlot1-charlot2_7p"
SITES = "fibs_oldmoves.txt", "gamesgrid.sgg", "gammonempire.gam", "partygammon.gam", "truemoneygames.tmg"

pytestmark = pytest.mark.skipif(not SAMPLES, reason="GAMMOND_SAMPLES names no folder of samples")


def read(name):
    (match,) = read_matches(Path(SAMPLES) / name)
    return match


@pytest.mark.parametrize(
    ("name", "other"),
    [
        *((f"mat/{NAME}.mat", other) for other in (f"xg/{NAME}.xg", f"sgf/{NAME}.sgf")),
        *((f"mat/{NAME}.mat", f"handmade/charlot_{site}") for site in SITES),
        *(
            (f"gnubg_generated/selfplay_{match}.mat", f"gnubg_generated/selfplay_{match}.sgf")
            for match in ("backgammon_3pt", "nackgammon_3pt")
        ),
    ],
)
def test_a_match_in_two_formats_has_the_same_games(name, other):
    ours, theirs = read(name), read(other)
    assert ours.issues == theirs.issues == ()
    assert ours.names == theirs.names
    assert ours.rules.rules == theirs.rules.rules
    assert ("nackgammon" in name) == (ours.rules.rules.variant.name == "nackgammon")
    assert [game.actions for game in ours.games] == [game.actions for game in theirs.games]
    assert [game.result for game in ours.games] == [game.result for game in theirs.games]
    if theirs.format != "empire":
        begun = [[(game.initial_state, game.position) for game in match.games] for match in (ours, theirs)]
        assert begun[0] == begun[1]


def test_every_sample_is_the_same_after_writing_and_reading():
    found = 0
    for file in sorted(Path(SAMPLES).rglob("*")):
        try:
            matches = read_matches(file) if file.is_file() else ()
        except GammondError:
            continue
        for match in (match for match in matches if match.games):
            found += 1
            (as_mat,), (as_sgf,) = parse_mat(format_match(match)), parse_sgf(format_sgf(match))
            for read in (as_mat, as_sgf):
                assert (read.names, read.length, read.ratings) == (match.names, match.length, match.ratings)
                assert read.rules == match.rules
                assert read.headers == match.headers
                plain = [replace(game, notes={}, comment="") for game in match.games]
                assert [replace(game, notes={}, comment="") for game in read.games] == plain
            (again,) = parse_sgf(format_sgf(as_sgf))
            assert (as_sgf.comment, format_sgf(as_sgf)) == (match.comment, format_sgf(again))
    assert found >= 19


def test_the_analysis_of_every_play_is_found():
    match = read(f"xg/{NAME}.xg")
    notes = [note for game in match.games for note in game.notes.values()]
    assert sum(bool(note.candidates) for note in notes) == 94 + 95
    assert match.headers["EventDate"] == "2025.11.08"


def test_errors_are_those_that_the_file_keeps():
    records = unpack_container((Path(SAMPLES) / f"xg/{NAME}.xg").read_bytes()).records
    decisions, _, _ = rate_actions(read(f"xg/{NAME}.xg"), load_default_table())
    errors = [decision.loss.equity for decision in decisions]
    kept = []
    for record in map(decode_record, split_records(records)):
        if record["kind"] == CUBE and record["double"] >= 0:
            kept += [record["error"]] if record["double"] == 0 else [record["error"], record["error_take"]]
        elif record["kind"] == PLAY:
            kept.append(record["error"])
    kept = np.abs(kept)
    assert len(errors) == 283
    assert errors == pytest.approx(kept, abs=0.0001)


@pytest.mark.parametrize(("name", "kind"), [("record_2_Cube", CUBE), ("record_3_Move", PLAY)])
def test_single_records_are_decoded(name, kind):
    record = decode_record((Path(SAMPLES) / f"xg/{name}.bin").read_bytes())
    assert record["kind"] == kind
    assert decode_seat(record) == 1
    if kind == PLAY:
        played, listed = decode_play(record, 15)
        assert decode_dice(record) == (6, 3)
        assert len(listed) == 10
        assert np.array_equal(listed[0][0], played)


def test_a_file_without_a_match_says_so():
    with pytest.raises(Exception, match=r"temp\.xg: expected zlib data"):
        read("xg/xgdatatools_example.xg")


def test_statistics_are_those_that_extreme_gammon_prints():
    match = read(f"xg/{NAME}.xg")
    decisions, rolls, _ = rate_actions(match, load_default_table())
    printed = [(90, 0.070, 0.0076), (79, 0.066, 0.0091)]
    for seat, (counted, error, mwc) in enumerate(printed):
        found = compute_statistics(seat, decisions, rolls)
        assert abs(found.counted_decisions - counted) <= 2
        assert found.total.error_points == pytest.approx(error, abs=0.0005)
        assert found.total.error_mwc == pytest.approx(mwc, abs=0.00005)
        assert found.performance_rating == pytest.approx(500 * error / counted, abs=0.05)


def test_statistics_are_those_that_gnu_backgammon_prints():
    decisions, rolls, _ = rate_actions(read("gnubg_generated/charlot_analysed0ply.sgf"), load_default_table())
    printed = [
        (91, 0.223, 0.02524, 2.5, 1.2, 1.804, 0.33583),
        (79, 0.192, 0.01955, 2.4, 1.0, -1.444, -0.19224),
    ]
    for seat, (counted, error, mwc, rate, snowie, luck, luck_mwc) in enumerate(printed):
        found = compute_statistics(seat, decisions, rolls)
        own = [decision for decision in decisions if decision.seat == seat]
        assert sum(decision.counts_for_gnubg for decision in own) == counted
        assert found.total.error_points == pytest.approx(error, abs=0.0005)
        assert found.total.error_mwc == pytest.approx(mwc, abs=0.00001)
        assert found.gnubg_error_rate == pytest.approx(rate, abs=0.05)
        assert found.snowie_error_rate == pytest.approx(snowie, abs=0.05)
        assert found.luck_points == pytest.approx(luck, abs=0.0005)
        assert found.luck_mwc == pytest.approx(luck_mwc, abs=0.00005)


@pytest.mark.parametrize("program", ["xg", "bgblitz"])
@pytest.mark.parametrize("name", POSITION_NAMES)
def test_a_position_text_says_the_same_in_two_languages(program, name):
    (found,), (other,) = (
        read_positions(Path(SAMPLES) / f"{program}_txt" / f"{name}_{language}.txt")
        for language in ("DE", "EN")
    )
    assert (found.position, found.match) == (other.position, other.match)
    assert len(found.notes.candidates) == len(other.notes.candidates) == (5 if name.startswith("01") else 0)
    if found.notes.cube is None:
        assert found.notes.candidates == other.notes.candidates
        assert all(candidate.evaluation.outcome for candidate in found.notes.candidates)
    else:
        assert found.notes.cube.no_double.outcome is not None
        assert found.notes.cube.no_double.equity == pytest.approx(
            other.notes.cube.no_double.equity, abs=0.003
        )
        assert found.notes.cube.double_take.equity == pytest.approx(
            other.notes.cube.double_take.equity, abs=0.003
        )
        assert found.notes.cube.equities[2] == other.notes.cube.equities[2] == 1.0
