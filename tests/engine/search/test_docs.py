"""The numbers of docs/reference/search.md and docs/guide/levels.md are those of the program."""

import re
from pathlib import Path

from gammond.engine.analysis.engine import CACHE_COLUMNS
from gammond.engine.analysis.levels import LEVELS
from gammond.engine.search import DEFAULT_PRUNING, FILTERS, MAX_PLIES
from gammond.engine.search.cache import DEFAULT_ENTRIES
from gammond.engine.search.tree import BLOCK_POSITIONS, BLOCK_UNPRUNED, EVALUATE_ROWS
from gammond.tools.measure.pruning import NEAR_POINTS

DOCS = Path(__file__).parents[3] / "docs"
SEARCH = (DOCS / "reference" / "search.md").read_text("utf-8")
LEVELS_PAGE = (DOCS / "guide" / "levels.md").read_text("utf-8")


def rows(text, first):
    """The cells of the table rows whose first cell is this."""
    found = [line for line in text.splitlines() if re.match(rf"\| {re.escape(first)} +\|", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found]


def test_each_filter_stands_in_the_table_with_its_numbers():
    for name, move_filter in FILTERS.items():
        ((_, *stages),) = rows(SEARCH, name)
        expected = [f"{each.always} + {each.extra} within {each.within:.2f}" for each in move_filter.stages]
        assert stages == expected


def test_pruning_depth_and_memory_are_those_of_the_program():
    text = " ".join(SEARCH.split())
    assert f"The depth is 0 to {MAX_PLIES}." in text
    (keep, margin), (last_keep, last_margin) = DEFAULT_PRUNING.limits
    assert f"at most {keep}, none more than {margin:.2f} points behind its best one" in text
    assert f"at most {last_keep} within {last_margin:.2f}" in text
    assert DEFAULT_PRUNING.width == 1
    assert f"blocks of {BLOCK_POSITIONS} positions ({BLOCK_UNPRUNED} where" in text
    assert f"at most {EVALUATE_ROWS:,} positions at a time" in text
    size = DEFAULT_ENTRIES * (16 + 4 * CACHE_COLUMNS)
    assert f"a cache of {DEFAULT_ENTRIES:,} entries: {size / 2**20:.0f} MiB" in text
    assert f"all plays within {NEAR_POINTS} points" in text


def test_each_level_stands_in_the_table_with_its_numbers():
    for level in LEVELS.values():
        plays, rates = rows(LEVELS_PAGE, level.name)
        noise = f"{1000 * level.noise_points:g}" if level.noise_points else "-"
        assert plays[1:] == [
            str(level.plies),
            level.filter_name if level.plies else "-",
            noise,
            level.meaning,
        ]
        measured = [cell.split(" ± ")[0] for cell in rates[1:] if cell != "-"]
        assert f"{level.error_rate:.1f}" in measured
