"""Each attack in a small dose, and what rates a soak."""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import sys

import pytest

from gammond.engine.kernels.disk_cache import cache_root
from gammond.engine.runtime.files import data_folder
from tests.attacks.__main__ import main, parse_arguments, run_attacks
from tests.attacks.beside import warm_up
from tests.attacks.catalogue import ATTACKS
from tests.attacks.greed import make_wide_query
from tests.attacks.jobs import JOBS
from tests.attacks.mutations import list_gnubg_lines, list_lines, mutate
from tests.attacks.server import AttackError, Home, Peak, serve
from tests.attacks.soak import FIGURES, VERDICT, run_soak
from tests.attacks.trends import compute_slope, rate_rows
from tests.attacks.trial import Attack, Trial, expect
from tests.attacks.wire import Client

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
SMALL = [
    attack
    for attack in ATTACKS
    if attack.name == "kill-batch" or not attack.name.startswith(("kill-", "stop", "files-"))
]
"""Those that other tests on the same machine do not delay beyond their bounds; match files are attacked by
`tests/engine/match_files/test_hostile_files.py`."""


@pytest.fixture
def home(tmp_path):
    """A folder of its own, with the kernels and databases of all tests."""
    return Home(tmp_path, cache_root(), data_folder())


@LINUX
@pytest.mark.slow
@pytest.mark.parametrize("attack", SMALL, ids=lambda attack: attack.name)
def test_the_program_holds_a_small_dose_of(attack, home):
    attack.run(Trial(home, random.Random(1), is_small=True, note=lambda words: None))
    gc.collect()  # so that what an attack leaves open is charged to it


@LINUX
@pytest.mark.slow
def test_a_slow_reader_of_six_large_answers_pins_less_than_the_82_mb_that_it_once_did(home):
    """One answer of 20 MB is worked out and held at a time."""

    async def read_slowly(server):
        await warm_up(server.port)
        peak = Peak(server)
        client = await Client.open(server.port, receive_bytes=4096)
        client.send(*(make_wide_query(number) for number in range(6)))
        assert await client.read(300)  # the first answer is there
        for _ in range(30):
            assert await client.read(300)
            await asyncio.sleep(0.1)
            peak.look()
        client.reset()
        return peak.mib

    with serve(home) as server:
        assert 15 < asyncio.run(read_slowly(server)) < 40


@LINUX
@pytest.mark.slow
def test_a_short_soak_meets_no_fault_and_leaves_its_figures(home, tmp_path):
    args = argparse.Namespace(hours=10 / 3600, output=tmp_path / "soak", seed=1)
    assert run_soak(args, home)
    rows = (args.output / FIGURES).read_text("utf-8").splitlines()
    assert len(rows) == 41
    assert (args.output / VERDICT).read_text("utf-8").endswith("PASS\n")


def rows_of(hours, **slopes):
    """Rows of a soak, one a minute, in which some figures grow by so much an hour."""
    flat = {"lines_rss_mib": 200.0, "lines_threads": 10.0, "lines_descriptors": 20.0, "p99_ms": 5.0}
    return [
        {
            "elapsed_s": 60.0 * minute,
            "requests": 600,
            **{name: value + slopes.get(name, 0.0) * minute / 60 for name, value in flat.items()},
        }
        for minute in range(1, int(60 * hours) + 1)
    ]


@pytest.mark.parametrize(
    ("name", "slope"),
    [("lines_rss_mib", 5.0), ("lines_threads", 1.0), ("lines_descriptors", 2.0), ("p99_ms", 30.0)],
)
def test_a_figure_that_rises_fails_a_soak(name, slope):
    assert rate_rows(rows_of(2.0), [])[0]
    is_good, lines = rate_rows(rows_of(2.0, **{name: slope}), [])
    assert not is_good
    assert next(line for line in lines if "RISES" in line).startswith(f"  {name}: ")


def test_a_fault_fails_a_soak_whatever_its_length():
    assert rate_rows(rows_of(0.2), [])[0]
    assert not rate_rows(rows_of(0.2), ["no answer"])[0]


def test_peaks_and_the_warm_up_do_not_move_a_slope():
    rows = rows_of(2.0)
    for row in rows[:14]:
        row["lines_rss_mib"] = 100.0
    for row in rows[20::30]:
        row["lines_rss_mib"] = 900.0
    assert rate_rows(rows, [])[0]
    assert compute_slope([0, 1, 2, 3, 4], [5, 7, 9, 90, 13]) == pytest.approx(2.0)
    assert compute_slope(range(20), [3.0 * each for each in range(20)]) == pytest.approx(3.0)


def test_an_attack_that_finds_something_fails_the_run_by_name(home, capsys, monkeypatch):
    def fail(trial):
        expect(False, "it gave way")

    attacks = (Attack("good", "", lambda trial: "fine"), Attack("bad", "", fail))
    monkeypatch.setattr("tests.attacks.__main__.ATTACKS", attacks)
    assert run_attacks(parse_arguments([]), home) == 1
    out = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in out[:2]] == [["PASS", "good"], ["FAIL", "bad"]]
    assert out[1].endswith("it gave way")
    assert "failed: bad" in out[2]
    assert run_attacks(parse_arguments(["good"]), home) == 0
    assert run_attacks(parse_arguments(["good", "--minutes", "0"]), home) == 1


def test_an_unknown_attack_is_refused_and_all_are_listed(capsys):
    with pytest.raises(SystemExit):
        parse_arguments(["nothing"])
    assert main(["--list"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == [*(attack.name for attack in ATTACKS), "soak"]
    assert len(set(listed)) == len(listed)


def test_every_job_reads_only_what_there_is():
    made = {*JOBS, "positions.txt"}
    assert all(name in made for job in JOBS.values() for name in job.inputs)


def test_mutations_are_lines_and_the_same_for_the_same_seed():
    known = [*list_lines(), *list_gnubg_lines()]
    drawn = [
        [mutate(rng.choice(known), known, rng) for _ in range(500)] for rng in map(random.Random, (1, 1))
    ]
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) > 300
    assert not any(set(line) & set(b"\n\r\0") for line in drawn[0])


def test_what_is_expected_is_said():
    with pytest.raises(AttackError, match="seven"):
        expect([], "seven")
