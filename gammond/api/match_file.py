"""Matches as files have them, in any format."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from gammond.api.errors import FormatError, StateError, UnsupportedError
from gammond.api.game import Game, GameUnwrapper, wrap_game

if TYPE_CHECKING:
    from gammond.engine.match_files.model import RecordedGame, RecordedMatch


class _Source(NamedTuple):
    """What a match was made of: the record, and what is shown of its games."""

    record: RecordedMatch
    games: tuple[Game, ...]


@dataclass(frozen=True)
class Match:
    """A match, or a session of money games, as a file has it.

    What is written, described and analysed is what the fields say, also where `dataclasses.replace` changed
    them, in the match, its games or their actions. A change after which an action breaks the rules, or a
    field contradicts the actions, is refused then.

    Attributes:
        names: Of seats 0 and 1.
        length: Points of the match, 0 for money.
        games: In order.
        headers: What else the file says, by the words of ``.mat`` files: ``Event``, ``Round``, ``Site``,
            ``EventDate``.
        ratings: Of seats 0 and 1; None where the file has none.
        comment: A person's comment.
        issues: What could not be read, or breaks the rules, each with line, game and move. What was lost by
            it is in `Game.missing`.
        format: The name of the format.
    """

    names: tuple[str, str]
    length: int
    games: tuple[Game, ...]
    headers: Mapping[str, str]
    ratings: tuple[float | None, float | None]
    comment: str
    issues: tuple[str, ...]
    format: str
    _source: _Source = field(repr=False, compare=False)
    _method: str = field(default="", repr=False, compare=False)

    def to_mat(self) -> str:
        """Write the match as ``.mat`` text.

        Raises:
            FormatError: It has no game.
            UnsupportedError: The format has no place for something in it.
            StateError: Its fields contradict each other.
        """
        return self._write("mat").decode()

    def to_sgf(self) -> str:
        """Write the match as ``.sgf`` text with its comments and analysis, as GNU Backgammon reads it.

        Raises:
            UnsupportedError: The format has no place for something in it.
            StateError: Its fields contradict each other.
        """
        return self._write("sgf").decode()

    def to_ogxm(self) -> bytes:
        """Write the match as an ``.ogxm`` file with its comments and analysis, as OpenGammon reads it.

        Raises:
            FormatError: It has no game.
            UnsupportedError: The format has no place for something in it, or the package ogxm is missing.
            StateError: Its fields contradict each other.
        """
        return self._write("ogxm")

    def to_dict(self) -> dict[str, Any]:
        """Return what both players lost by the analysis in the match, with the keys of `gammond analyse`.

        ``players`` has their statistics, ``decisions`` each play and cube action with its error; they are
        empty in a match without an analysis (`Engine.analyse`).
        """
        from gammond.engine.match_analysis.analysed_match import AnalysedMatch, find_table
        from gammond.engine.match_analysis.documents import describe_match

        record = self._to_record()
        return describe_match(AnalysedMatch("", record, self._method, find_table(record.rules.rules)))

    def __str__(self) -> str:
        kind = f"{self.length}-point match" if self.length else "money play"
        games = f"{len(self.games)} game{'' if len(self.games) == 1 else 's'}"
        return f"{self.names[0]} and {self.names[1]}: {kind}, {games}"

    def _write(self, format_name: str) -> bytes:
        record = self._to_record()
        is_as_read = self.games is self._source.games and not any(game.is_cut for game in self.games)
        return write_match(record, format_name, is_checked=not is_as_read)

    def _to_record(self, *, is_for_analysis: bool = False) -> RecordedMatch:
        """Return what the fields say, as the engine knows matches.

        Raises:
            StateError: They contradict each other, or there is no game to analyse.
        """
        from gammond.engine.match_files.model import number_games

        if is_for_analysis and not self.games:
            raise StateError(
                f"expected a match with a game, got none: {'; '.join(self.issues)}", field="match"
            )
        record, games = self._source
        issues = {str(issue): issue for issue in record.issues}
        if not issues.keys() >= set(self.issues):
            raise StateError("expected issues of the file alone, got others", field="issues")
        changed = replace(
            record,
            names=self.names,
            length=self.length,
            headers=self.headers,
            ratings=self.ratings,
            comment=self.comment,
            issues=tuple(issues[text] for text in self.issues),
            format=self.format,
        )
        if self.games is not games:
            unwrapper = GameUnwrapper(record.rules, games, record.games)
            changed = replace(changed, games=tuple(map(unwrapper.unwrap, self.games)))
            numbers = [game.number for game in self.games]
            if numbers != number_games(changed.games):
                raise StateError(f"expected numbers of games that rise, got {numbers}", field="games")
        for game in self.games:
            if game.match.length != self.length:
                raise StateError(
                    f"game {game.number}: expected a game of a match to {self.length}, got one to "
                    f"{game.match.length}",
                    field="length",
                )
        return changed


def read_match(
    source: bytes | str | os.PathLike[str], *, name: str | None = None, strict: bool = False
) -> Match:
    """Read the match of a file in any format; `docs/reference/match-files.md` lists them.

    Args:
        source: The path of the file, or its content as bytes.
        name: What error messages call it; None for the path.
        strict: Whether the first fault is an error; otherwise faults are in `Match.issues`.

    Raises:
        DataFileError: The file cannot be opened.
        LimitError: It is too large.
        FormatError: It is no match file, or holds several matches (see `read_matches`); or, if strict, it has
            a fault.
    """
    matches = read_matches(source, name=name, strict=strict)
    if len(matches) > 1:
        raise FormatError(
            f"expected one match, got {len(matches)}: read them with read_matches", field="match"
        )
    return matches[0]


def read_matches(
    source: bytes | str | os.PathLike[str], *, name: str | None = None, strict: bool = False
) -> list[Match]:
    """Read all matches of a file, as `read_match` does one.

    Returns:
        At least one match.
    """
    from gammond.engine.match_files.reading import read_matches as read_records

    return [wrap_match(record) for record in read_records(source, name=name, strict=strict)]


def wrap_match(record: RecordedMatch, method: str = "") -> Match:
    """Return a match as users of the API see it.

    Args:
        record: The match.
        method: What analysed it, in words; empty for the program behind its file.
    """
    games = tuple(map(wrap_game, record.games))
    return Match(
        record.names,
        record.length,
        games,
        record.headers,
        record.ratings,
        record.comment,
        tuple(str(issue) for issue in record.issues),
        record.format,
        _Source(record, games),
        method,
    )


def write_match(record: RecordedMatch, format_name: str, *, is_checked: bool = True) -> bytes:
    """Write a match.

    Args:
        record: The match.
        format_name: One of `gammond.engine.match_files.writing.MATCH_FORMATS`.
        is_checked: Whether to check that it is read again as it is.

    Raises:
        UnsupportedError: The format has no place for something in it.
    """
    from gammond.engine.match_files.writing import MATCH_FORMATS

    chosen = MATCH_FORMATS[format_name]
    content = chosen.write(record)
    if is_checked and record.games:
        read = [game for match in chosen.parse(content) for game in match.games]
        if list(map(_list_played, read)) != list(map(_list_played, record.games)):
            raise UnsupportedError(
                f"a game of this match cannot be written as {format_name}: its score, rules, beginning or "
                "end would be read otherwise",
                field="games",
            )
    return content


def _list_played(game: RecordedGame) -> tuple[object, ...]:
    """Return what is to be read again; a resignation stands in the result, as the end of a cut game does."""
    from gammond.engine.rules.game_record import ResignationAction

    last = game.actions[-1] if game.actions else None
    is_resigned = isinstance(last, ResignationAction) and last.is_accepted
    actions = game.actions[:-1] if is_resigned else game.actions
    return game.initial_state, game.position, actions, game.result
