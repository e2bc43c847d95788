"""Bearoff tables against the databases that GNU Backgammon's ``makebearoff`` writes.

Its values are whole numbers of 16 bits, rounded at every step of the recursion, so they drift from the exact
ones by a few units, and near-ties between plays are decided by rounding. Carrying out the same rounding over
*our* lists of results must therefore give its files bit for bit: that is the test of the rules, and a bound
on the differences is the test of the values.
"""

from __future__ import annotations

import functools
import itertools
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from gammond.engine.bearoff.numbering import SideNumbering
from gammond.engine.bearoff.one_sided import build_one_sided
from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.kernels import bearoff_two_sided as kernel_two_sided
from gammond.engine.rules.dice import ROLLS
from tests.support.naive_bearoff import read_first_off

pytestmark = pytest.mark.peer

MAKEBEAROFF = shutil.which("makebearoff") or shutil.which("makebearoff", path="/usr/games")
INSTALLED = Path("/var/lib/gnubg/gnubg_ts0.bd")
"""What ``makebearoff -t 6x6`` wrote when Debian's gnubg was installed, which takes it minutes."""

HEADER_BYTES = 40
FULL = 65_535
LOSS = -32_768
WEIGHTS = np.array([1 if a == b else 2 for a, b in sorted(ROLLS)])


@pytest.fixture(scope="module")
def gnubg_file(tmp_path_factory):
    """A function that has gnubg write a database and returns its numbers."""
    if MAKEBEAROFF is None:
        pytest.skip("makebearoff is missing: install Debian's gnubg")

    @functools.cache
    def make(*arguments):
        path = tmp_path_factory.mktemp("gnubg") / "database"
        command = [MAKEBEAROFF, *arguments, "-f", str(path)]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        return read_numbers(path)

    return make


def read_numbers(path):
    return np.fromfile(path, "<u2", offset=HEADER_BYTES)


@pytest.fixture(scope="module")
def gnubg_two_sided(gnubg_file):
    """``int64[924, 924, 4]``, equities of the player on roll, -32,768 to 32,767.

    Cubeless; and with the cube, not doubling now: held by the player on roll, centred, held by the other.
    """
    numbers = read_numbers(INSTALLED) if INSTALLED.exists() else gnubg_file("-t", "6x6")
    return numbers.reshape(924, 924, 4).astype(np.int64) + LOSS


def one_sided_chances(numbers):
    """``int64[sides, 2, 32]``: chances of 0..31 rolls to bear off all, and the first checker."""
    return numbers.reshape(-1, 2, 32).astype(np.int64)


def listed_results(numbering):
    """The distinct results of each side and roll: starts ``int64[21 * sides + 1]`` and numbers of sides."""
    starts = np.empty(21 * numbering.side_count + 1, np.int64)
    kernel_two_sided.list_results(numbering.ranks, starts, np.empty(0, np.int32))
    results = np.empty(starts[-1], np.int32)
    kernel_two_sided.list_results(numbering.ranks, starts, results)
    return starts, results


def two_sided_in_gnubgs_steps(numbering):
    """The recursion in equities of 16 bits: turned round by complement, means cut towards zero."""
    order, layer_starts = numbering.sort_by_pips()
    starts, results = listed_results(numbering)
    equities = np.full((numbering.side_count, numbering.side_count), LOSS)
    equities[0] = -LOSS - 1
    by_pips = [order[a:b] for a, b in itertools.pairwise(layer_starts)]
    for total in range(2, 2 * len(by_pips) - 1):
        for own_pips in range(max(1, total - len(by_pips) + 1), min(total, len(by_pips))):
            others = by_pips[total - own_pips]
            if total == own_pips:
                continue
            for own in by_pips[own_pips]:
                first, last = starts[21 * own], starts[21 * own + 21]
                replies = equities[others[:, None], results[first:last]]
                least = np.minimum.reduceat(replies, starts[21 * own : 21 * own + 21] - first, axis=1)
                sums = (-1 - least) @ WEIGHTS
                equities[own, others] = np.sign(sums) * (np.abs(sums) // 36)
    return equities


def one_sided_in_gnubgs_steps(numbering):
    """The recursion in chances of 16 bits: rounded to the nearest, the largest making up for the sum."""
    order, layer_starts = numbering.sort_by_pips()
    starts, results = listed_results(numbering)
    chances = np.zeros((numbering.side_count, 2, 32), np.int64)
    chances[: numbering.first_full_side, 1, 0] = FULL
    chances[0, :, 0] = FULL
    sums = np.zeros((numbering.side_count, 2), np.int64)
    for begin, end in itertools.pairwise(layer_starts[1:]):
        sides = order[begin:end].astype(np.int64)
        rows = (21 * sides[:, None] + np.arange(21)).ravel()
        lengths = starts[rows + 1] - starts[rows]
        offsets = np.cumsum(lengths) - lengths
        reached = results[np.repeat(starts[rows] - offsets, lengths) + np.arange(lengths.sum())]
        for kind in range(2):
            wanted = sides if kind == 0 else sides[sides >= numbering.first_full_side]
            if not wanted.size:
                continue
            means = sums[reached, kind]
            is_least = means == np.repeat(np.minimum.reduceat(means, offsets), lengths)
            places = np.flatnonzero(is_least)
            best = reached[places[np.searchsorted(places, offsets)]].reshape(len(sides), 21)
            best = best[np.isin(sides, wanted)]
            mixed = np.zeros((len(wanted), 32), np.int64)
            mixed[:, 1:] = (chances[best, kind, :31] * WEIGHTS[:, None]).sum(axis=1)
            rounded = (mixed + 18) // 36
            rounded[np.arange(len(wanted)), rounded.argmax(axis=1)] += FULL - rounded.sum(axis=1)
            chances[wanted, kind] = rounded
            sums[wanted, kind] = rounded @ np.arange(32)
    return chances


def test_all_two_sided_values_are_gnubgs_when_rounded_at_every_step_as_gnubg_does(gnubg_two_sided):
    ours = two_sided_in_gnubgs_steps(SideNumbering(6, 6))
    assert (ours != gnubg_two_sided[..., 0]).sum() == 0


def test_all_two_sided_chances_are_gnubgs_within_its_rounding(gnubg_two_sided):
    difference = build_two_sided().wins - (gnubg_two_sided[..., 0] - LOSS) / FULL
    assert np.abs(difference).max() < 4 / FULL


def test_all_two_sided_equities_with_the_cube_are_gnubgs_within_its_rounding(gnubg_two_sided):
    theirs = (gnubg_two_sided[1:, 1:, [2, 1, 3]] - LOSS) * 2 / FULL - 1
    difference = np.abs(build_two_sided().equities[1:, 1:] - theirs)
    assert difference.max() < 5 * 2 / FULL
    assert difference.mean() < 2 * 2 / FULL


@pytest.mark.parametrize("points", [6, 7])
def test_all_one_sided_values_are_gnubgs_when_rounded_at_every_step_as_gnubg_does(gnubg_file, points):
    theirs = one_sided_chances(gnubg_file("-o", str(points), "-c"))
    ours = one_sided_in_gnubgs_steps(SideNumbering(points, 15))
    assert (ours != theirs).sum() == 0


def test_all_one_sided_distributions_are_gnubgs_within_its_rounding(gnubg_file):
    table = build_one_sided()
    numbering = table.numbering
    ours = np.zeros((numbering.side_count, 2, 32))
    ours[: numbering.first_full_side, 1, 0] = 1.0
    for number in range(numbering.side_count):
        chances = table.roll_distribution(number)
        ours[number, 0, : len(chances)] = chances
        if number >= numbering.first_full_side:
            chances = read_first_off(table, number)
            ours[number, 1, : len(chances)] = chances
    theirs = one_sided_chances(gnubg_file("-o", "6", "-c")) / FULL
    means = np.abs((ours - theirs) @ np.arange(32))
    assert means[:, 0].max() < 2.5e-4
    assert means[:, 1].max() < 1e-4
    largest = np.abs(ours - theirs).max(axis=2)
    assert largest[:, 1].max() < 2 / FULL
    # Other distributions of the same mean, where gnubg's rounding decides between plays.
    assert (largest[:, 0] > 1e-4).sum() < 300
    assert largest[:, 0].max() < 3e-3
