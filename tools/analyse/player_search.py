"""The matches of one player among many files, by a name that they write differently, and by date."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gammond.engine.errors import ValueRangeError
from gammond.engine.match_files.model import RecordedMatch
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.engine.rules.match import SEATS
from gammond.tools.analyse.kept_decisions import hash_games
from gammond.tools.common.match_inputs import MatchInput, MatchTally
from gammond.tools.common.progress import Progress

_DATE = re.compile(r"(\d{4})[.-](\d{1,2})[.-](\d{1,2})")
_TIME = re.compile(r"(\d{1,2})[.:](\d{2})")
_LISTED_NAMES = 10

WriteMessage = Callable[[str], None]


@dataclass(frozen=True)
class FoundMatch:
    """A match of a file.

    Attributes:
        source: The file.
        place: The place of the match in it.
        names: Of both players.
        date: As ``2024-06-20``, with ``12:30`` behind it where the file has a time; empty without a date.
        games: A hash of its games.
        match: The match, of standard input, which cannot be read again; else None.
    """

    source: MatchInput
    place: int
    names: tuple[str, str]
    date: str
    games: str
    match: RecordedMatch | None

    def read(self, *, strict: bool) -> RecordedMatch:
        """Read the match again; what is wrong in the file has been said."""
        if self.match is not None:
            return self.match
        return self.source.read(lambda message: None, strict=strict)[self.place]


@dataclass(frozen=True)
class PlayerMatches:
    """The matches of a player.

    Attributes:
        name: The player, as most files have it.
        matches: With the player's seat; by date, those without one behind, in the order of the files.
        tally: Counts how the files were read.
    """

    name: str
    matches: list[tuple[FoundMatch, int]]
    tally: MatchTally


def find_player(
    name: str, sources: Sequence[MatchInput], write_message: WriteMessage, *, strict: bool
) -> PlayerMatches:
    """Find the matches of a player.

    Capitals, accents, blanks and signs do not count in names. Where no name is the one asked for, it may be a
    part of one.

    Args:
        name: The name.
        sources: The files.
        write_message: Takes a line about each fault, and what was taken for the name.
        strict: Whether a file with a fault is refused.

    Raises:
        ValueRangeError: No player is called like that, or several are.
    """
    found, tally = _read_all(sources, write_message, strict=strict)
    spellings = Counter(each for match in found for each in match.names if each.strip())
    chosen = _choose_spellings(name, spellings)
    if list(chosen) != [name]:
        listed = ", ".join(f"{each!r} ({_count_matches(count)})" for each, count in chosen.items())
        write_message(f"took for {name!r}: {listed}")
    matches: list[tuple[FoundMatch, int]] = []
    first_of: dict[str, str] = {}
    for match in found:
        seats = [seat for seat in SEATS if match.names[seat] in chosen]
        earlier = first_of.setdefault(match.games, match.source.name) if seats else ""
        if len(seats) == 2:
            write_message(f"{match.source.name}: left out, for both players are called {match.names[0]!r}")
        elif seats and earlier != match.source.name:
            write_message(f"{match.source.name}: left out, for it is the same match as {earlier}")
        elif seats:
            matches.append((match, seats[0]))
    matches.sort(key=lambda each: (not each[0].date, each[0].date))
    undated = sum(not match.date for match, _ in matches)
    if 0 < undated < len(matches):
        write_message(f"{_count_matches(undated)} without a date stand at the end, in the order of the files")
    return PlayerMatches(next(iter(chosen)), matches, tally)


def fold_name(name: str) -> str:
    """Return a name without capitals, accents, blanks and signs."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(sign for sign in plain if sign.isalnum())


def read_date(match: RecordedMatch) -> str:
    """Return the date of a match, and the time if there is one, so that texts sort as times do."""
    date = _DATE.search(match.headers.get("EventDate", ""))
    if date is None:
        return ""
    time = _TIME.search(match.headers.get("EventTime", ""))
    text = f"{date[1]}-{int(date[2]):02d}-{int(date[3]):02d}"
    return text if time is None else f"{text} {int(time[1]):02d}:{time[2]}"


def _read_all(
    sources: Sequence[MatchInput], write_message: WriteMessage, *, strict: bool
) -> tuple[list[FoundMatch], MatchTally]:
    found, tally = [], MatchTally()
    with Progress(len(sources), "reading", lines_of="gammond analyse: read") as progress:

        def say(text: str) -> None:
            progress.clear()
            write_message(text)

        for number, source in enumerate(sources, 1):
            matches = source.read(say, strict=strict, tally=tally)
            for place, match in enumerate(matches):
                if match.games:
                    kept = match if source.path is None else None
                    date, games = read_date(match), hash_games(match)
                    found.append(FoundMatch(source, place, match.names, date, games, kept))
            progress.update(number)
    return found, tally


def _choose_spellings(name: str, spellings: Counter[str]) -> dict[str, int]:
    """Return the spellings of the player who is meant, the most frequent first, with their numbers."""
    wanted = fold_name(name)
    players: dict[str, dict[str, int]] = defaultdict(dict)
    for spelling, count in spellings.most_common():
        players[fold_name(spelling)][spelling] = count
    fitting = [wanted] if wanted in players else [each for each in players if wanted and wanted in each]
    if len(fitting) == 1:
        return players[fitting[0]]
    shown = fitting or list(players)
    names = [next(iter(players[each])) for each in shown[:_LISTED_NAMES]]
    listed = ", ".join(f"{each[:MAX_QUOTED_CHARS]!r}" for each in names) or "no names"
    more = f" and {len(shown) - len(names)} more" * (len(shown) > len(names))
    if fitting:
        raise ValueRangeError(
            f"{name!r} is a part of several names: {listed}{more}; give one", field="player"
        )
    raise ValueRangeError(
        f"expected a player of these matches, got {name!r}; there are {listed}{more}", field="player"
    )


def _count_matches(count: int) -> str:
    return f"{count:,} match{'es' * (count != 1)}"
