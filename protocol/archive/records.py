"""What the archive keeps of a match: its record, and its analysis with the ratings of both seats."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from gammond.engine.errors import GammondError
from gammond.engine.match_analysis.statistics import RatingTotal
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.tables.archive import ArchivedGame


class OpponentKind(enum.StrEnum):
    """Who sat at a seat."""

    PERSON = "person"
    ENGINE = "engine"


class Worth(enum.IntEnum):
    """Which matches are removed first when there are too many, and analysed last."""

    TRIFLE = -1
    """It was given up in the first moves, or more than people play came from its address in that hour."""
    NAMELESS = 0
    """Nobody gave a name."""
    NAMED = 1
    OWNED = 2
    """An account has it."""


class AnalysisState(enum.StrEnum):
    """Whether a match has its analysis."""

    NONE = "none"
    """None so far, since it goes on; or for good, since nothing analyses its game."""
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class SeatRating:
    """How well a seat played, by the analysis.

    Attributes:
        total: Its decisions and errors.
        errors: Decisions that lost .02 or more, blunders included.
        blunders: Decisions that lost .08 or more.
        luck_points: The luck of its rolls.
        luck_mwc: The same in match-winning chance; None in money play.
    """

    total: RatingTotal
    errors: int
    blunders: int
    luck_points: float
    luck_mwc: float | None


@dataclass(frozen=True)
class ArchivedAnalysis:
    """The analysis of a match.

    Attributes:
        method: What analysed it, in words.
        record: The record with the analysis, as SGF.
        document: All of it by keys, as JSON.
        seats: How well each seat played.
    """

    method: str
    record: str
    document: bytes
    seats: tuple[SeatRating, SeatRating]


SGF, MAT, TEXT = "sgf", "mat", "text"
"""Formats of records: matches of backgammon and its variants, those of them that cannot be read again, and
the text of another game."""


@dataclass(frozen=True)
class MatchRecord:
    """What was done in a match, as text.

    Attributes:
        format: `SGF`, `MAT`, `TEXT`; empty where there is none.
        text: The text.
    """

    format: str
    text: str

    @property
    def can_be_analysed(self) -> bool:
        """Whether it is one that the analysis reads."""
        return self.format == SGF


def make_record(game: ArchivedGame) -> MatchRecord:
    """Return the record that is kept of a game: of its match, or in money play of this game alone."""
    if game.text_format != MAT:
        return MatchRecord(TEXT if game.text else "", game.text)
    from gammond.engine.match_files.reading import read_matches  # here: a server starts without the readers
    from gammond.engine.match_files.sgf.writer import format_sgf

    try:
        match = read_matches(game.text.encode(), name=game.game_id)[0]
        if not game.length:
            match = replace(match, games=match.games[-1:])
        return MatchRecord(SGF, format_sgf(match))
    except Exception as error:  # a fault of a reader keeps no game from being kept
        if not isinstance(error, GammondError):
            FAULT_LOG.log("a record could not be read again", error)
        return MatchRecord(MAT, game.text)
