"""What `gammond analyse` analyses, how, and what it writes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Struct

from gammond.engine.errors import UnsupportedError
from gammond.engine.match_analysis.rollouts import DecisionRollouts
from gammond.engine.match_files.writing import ANALYSED_FORMATS
from gammond.engine.search import FILTERS, MAX_PLIES
from gammond.engine.search.filters import DEFAULT_FILTER
from gammond.tools.common.command_options import (
    CORES,
    Threads,
    argument,
    force_option,
    list_given,
    option,
    spell_option,
    written_file,
)
from gammond.tools.common.position_arguments import STDIN
from gammond.tools.common.rollout_options import QuickNumbers
from gammond.tools.common.strength import DEFAULT_NET, Net
from gammond.tools.parallel.options import Cluster

TEXT, HTML = "text", "html"
FORMATS = (TEXT, HTML, "json", "csv", *ANALYSED_FORMATS)
DEFAULT_WINDOW = 500
DEFAULT_PLIES = 2
DEFAULT_ERRORS = 20


class RolloutChoices(Struct, frozen=True, kw_only=True):
    """Whether decisions are rolled out, and how."""

    TITLE: ClassVar[str] = "rollouts"

    rollout: Annotated[bool, option("roll out what is close or wrong after the search")] = False
    rollout_plies: (
        Annotated[
            int,
            option(
                "look-ahead for checker plays and cube decisions of rollouts (default the preset's)", "PLIES"
            ),
        ]
        | None
    ) = None
    numbers: QuickNumbers = QuickNumbers()

    def __post_init__(self) -> None:
        if not self.rollout and (given := list_given(self)):
            raise UnsupportedError(
                f"{spell_option(given[0])} is for rollouts: add --rollout", field="rollout"
            )

    def read(self, threads: int) -> DecisionRollouts | None:
        """Return how decisions are rolled out; None if they are not.

        Args:
            threads: Number of threads.

        Raises:
            ValueRangeError: A number is out of range.
        """
        if not self.rollout:
            return None
        chosen = self.numbers.read(self.rollout_plies, threads)
        plays = DecisionRollouts.max_plays if chosen.candidates is None else chosen.candidates
        return DecisionRollouts(chosen.settings, chosen.plies, chosen.leaf_plies, plays)


class AnalyseOptions(Struct, frozen=True, kw_only=True):
    """Which matches are analysed, how, and what is written."""

    files: Annotated[
        tuple[str, ...],
        argument(
            "FILE", f"match files, folders and .zip archives of them; {STDIN} is standard input", count="+"
        ),
    ]
    plies: Annotated[int, option("look-ahead of every decision", ge=0, le=MAX_PLIES)] = DEFAULT_PLIES
    deepen: Annotated[
        int,
        option(
            "look-ahead of decisions that are close or wrong (default none)",
            "PLIES",
            ge=0,
            le=MAX_PLIES,
            shown="",
        ),
    ] = 0
    filter: Annotated[str, option("move filter", choices=tuple(FILTERS))] = DEFAULT_FILTER
    format: Annotated[str, option("what is written", choices=FORMATS)] = TEXT
    output: (
        Annotated[
            Path, written_file("write here, in place of stdout; a folder for many .html, .sgf or .ogxm files")
        ]
        | None
    ) = None
    force: Annotated[bool, force_option("forget what an unfinished run to the same --output has rated")] = (
        False
    )
    errors: Annotated[int, option("errors to list", "N", ge=0)] = DEFAULT_ERRORS
    player: (
        Annotated[str, option("the matches of this player alone, as ratings over time", "NAME")] | None
    ) = None
    window: (
        Annotated[int, option(f"with --player: decisions in the moving mean (default {DEFAULT_WINDOW})", "N")]
        | None
    ) = None
    strict: Annotated[bool, option("refuse files with a fault")] = False
    threads: Threads = CORES
    cluster: Cluster = ""
    net: Net = DEFAULT_NET
    rollouts: RolloutChoices = RolloutChoices()
