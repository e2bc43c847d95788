"""The number of positions in two-sided bearoff databases, and in backgammon."""

from __future__ import annotations

from math import comb

from gammond.engine.bearoff.two_sided import make_two_sided_numbering
from gammond.tools.common.text_table import format_table

PUBLISHED_SIZES = {
    (3, 3): "361",
    (3, 10): "81,225",
    (3, 15): "664,225",
    (4, 3): "1,156",
    (4, 10): "1,000,000",
    (6, 3): "6,889",
    (6, 9): "25M",
    (6, 10): "64.1M",
    (6, 15): "2.9B",
    (24, 15): "6.3e20",
}
"""Number of layouts by points and checkers. Source: the blog Computational Backgammon, October 2011."""

CHECKERS = 15
POINTS = 24


def count_layouts(points: int, checkers: int) -> int:
    """Count pairs of sides with 1 checker up to a number."""
    return (comb(points + checkers, checkers) - 1) ** 2


def count_positions(points: int = POINTS, checkers: int = CHECKERS) -> int:
    """Count the positions of backgammon: no point has checkers of both sides, and not both have borne off.

    Checkers are on points, on the bar or off; both sides may be on the bar at once.
    """
    total = 0
    for taken in range(points + 1):
        # One side has checkers on exactly this many points, the rest on its bar or off.
        own = comb(checkers + 1, taken + 1)
        total += comb(points, taken) * own * comb(points - taken + 1 + checkers, checkers)
    return total - 1


def make_size_report() -> str:
    """Compare the sizes that the blog gives with the formula and with the databases of `gammond bearoff`."""
    rows = []
    for (points, checkers), given in PUBLISHED_SIZES.items():
        built = points <= 12 and checkers < CHECKERS
        records = make_two_sided_numbering(points, checkers).side_count ** 2 if built else 0
        rows.append(
            [
                f"{points} x {checkers}",
                given,
                f"{count_layouts(points, checkers):,}",
                f"{records:,}" if built else "-",
                f"{4 * records / 1e6:,.1f} MB" if built else "-",
            ]
        )
    head = ["points x checkers", "the blog", "(C(n+m, m) - 1)^2", "our records", "chances alone"]
    return (
        format_table(head, rows)
        + f"\nAll positions of backgammon: {count_positions():,}; the blog: of the order of 1e20.\n"
    )
