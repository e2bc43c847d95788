"""The matches that are open: those of files, and the person's own games."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from gammond.engine.errors import DataFileError, FormatError, GammondError, StateError, ValueRangeError
from gammond.engine.match_files.model import (
    USUAL_RULES,
    MatchRules,
    RecordedGame,
    RecordedMatch,
    describe_issues,
)
from gammond.engine.match_files.reading import read_matches, read_positions
from gammond.engine.rules.game_record import GameAction, ResignationAction, RollAction, SetAction
from gammond.engine.runtime.files import check_output, open_output
from gammond.engine.wording import escape_unprintable
from gammond.protocol.repl.records.match_analysis import MatchAnalysis
from gammond.protocol.repl.records.open_record import OpenRecord, Place
from gammond.protocol.state.game_log import (
    GameLog,
    LoggedAction,
    LoggedGame,
    is_continuation,
    list_record_actions,
)


class OpenRecords:
    """The matches that are open, one of which is stepped through.

    Attributes:
        records: All of them.
        current: The one that is stepped through; None without any.
        analysis: The analysis of one of them that began last; None without one.
        recent: The match that was shown, or whose decisions were listed, last; None without one.
        listed: The match whose decisions were listed last; None without one.
    """

    def __init__(self) -> None:
        self.records: list[OpenRecord] = []
        self.current: OpenRecord | None = None
        self.analysis: MatchAnalysis | None = None
        self.recent: OpenRecord | None = None
        self.listed: OpenRecord | None = None

    def open_file(self, name: str) -> list[OpenRecord]:
        """Open the matches of a file, and step through its first one; positions come as games without a play.

        Args:
            name: Of the file.

        Raises:
            DataFileError: The file cannot be read.
            GammondError: It is no match file, or has no game.
        """
        matches = _read_file(os.path.expanduser(name))
        found = [OpenRecord(match) for match in matches if match.games]
        if not found:
            faults = "".join(f": {issue}" for match in matches for issue in describe_issues(match.issues)[:1])
            raise StateError(
                f"{escape_unprintable(name)} has no game that can be shown{faults}", field="file"
            )
        self.records += found
        self.current = found[0]
        return found

    def open_own(self, log: GameLog) -> OpenRecord:
        """Open the games of the table, and step through them from their end, arguments as `update_own`."""
        record = self.update_own(log)
        record.place = record.list_places()[-1]
        self.current = record
        return record

    def update_own(self, log: GameLog) -> OpenRecord:
        """Return the games of the table as they are now; what is stepped through stays.

        Args:
            log: What was done at the table.

        Raises:
            StateError: There has been no game.
        """
        match = make_own_match(log)
        if match is None:
            raise StateError(
                "no match to step through: 'open FILE' opens a match file, 'play' starts a game", field="open"
            )
        record = next((old for old in self.records if old.is_own), None)
        if record is None or not record.has_games_of(match):
            before, record = record, OpenRecord(match, is_own=True)
            if before is not None:
                self.stop_analysis(of=before)
                record.take_analysis(before)
        self._put_own(record)
        return record

    def _put_own(self, record: OpenRecord) -> None:
        """Keep a record of the person's own games, in place of others of them."""
        if self.current is not None and self.current.is_own:
            self.current = record
        self.records = [record, *(each for each in self.records if not each.is_own)]

    def select(self, number: int) -> OpenRecord:
        """Go to another match that is open.

        Args:
            number: Its place, from 1.

        Raises:
            StateError: No match is open.
            ValueRangeError: There is no such match.
        """
        if not self.records:
            raise StateError("no match is open: 'open FILE' opens a match file", field="match")
        if not 1 <= number <= len(self.records):
            raise ValueRangeError(
                f"expected an open match, 1..{len(self.records)}, got {number}: 'match' lists them",
                field="match",
            )
        self.current = self.records[number - 1]
        return self.current

    def note_listed(self, record: OpenRecord, places: list[Place]) -> None:
        """Note the places of decisions of a match that are listed, for `select_listed`."""
        record.listed, self.recent, self.listed = places, record, record

    def select_listed(self, number: int) -> OpenRecord:
        """Go to one of the decisions that were listed: of the match shown last, or else of that listed last.

        Args:
            number: Of its row, from 1.

        Raises:
            StateError: None was listed.
            ValueRangeError: The list has no such row.
        """
        record = self.recent if self.recent is not None and self.recent.listed else self.listed
        places = [] if record is None else record.listed
        if record is None or not places:
            raise StateError("no decision to show: 'errors' or 'review' lists them first", field="error")
        if number > len(places):
            raise ValueRangeError(
                f"expected a number 1..{len(places)} of the last list, got {number}", field="number"
            )
        if record.is_own:
            self._put_own(record)
        self.current = record
        record.place = places[number - 1]
        return record

    def close(self) -> OpenRecord:
        """Close the match that is stepped through, with its analysis; the one before it comes next.

        Raises:
            StateError: None is open.
        """
        if self.current is None:
            raise StateError("no match is open", field="close")
        closed = self.current
        place = self.records.index(closed)
        self.stop_analysis(of=closed)
        del self.records[place]
        self.current = self.records[max(place - 1, 0)] if self.records else None
        if self.recent is closed:
            self.recent = self.current
        if self.listed is closed:
            self.listed = None
        return closed

    def stop_analysis(self, of: OpenRecord | None = None) -> bool:
        """End the analysis that goes on; return whether there was one.

        Args:
            of: End only that of this match.
        """
        analysis = self.analysis
        if analysis is None or not analysis.is_running or (of is not None and analysis.record is not of):
            return False
        analysis.stop()
        return True


def _read_file(name: str) -> tuple[RecordedMatch, ...]:
    """Return the matches of a file, or its positions as a match of games in which nothing has been done."""
    try:
        return read_matches(name)
    except FormatError as error:
        try:
            positions = read_positions(name)
        except GammondError:
            raise error from None
    games = tuple(
        RecordedGame(
            number,
            each.match.before_roll(),
            each.position,
            (RollAction(each.match.on_roll, each.match.roll),) if each.match.roll else (),
            None,
            comment=each.notes.comment,
        )
        for number, each in enumerate(positions, 1)
    )
    first = positions[0]
    return (RecordedMatch(first.names, first.match.length, USUAL_RULES, games, format=first.format),)


def list_places_from(places: Iterable[Place], shown: Place, *, forward: bool) -> list[Place]:
    """List the places behind the shown one, the nearest first; those before it if not forward.

    Args:
        places: In order.
        shown: The shown one.
        forward: The direction.
    """
    if forward:
        return [place for place in places if place > shown]
    return [place for place in places if place < shown][::-1]


def make_own_match(log: GameLog) -> RecordedMatch | None:
    """Return the match that the game at hand belongs to, that game last; None without one.

    Args:
        log: What was done at the table.
    """
    games = [recorded for number, game in enumerate(log.games, 1) if (recorded := _record_game(number, game))]
    if not games or log.game is None:
        return None
    start = log.games[0].start.match
    rules = MatchRules(games[0].rules, jacoby=start.jacoby, beavers=start.beavers)
    return RecordedMatch(log.game.names, start.length, rules, tuple(games))


def _record_game(number: int, game: LoggedGame) -> RecordedGame | None:
    """Return a game as far as it went; None without a position.

    What was changed by hand is set in its midst; after a change of the rules the game begins anew.
    """
    start, actions, last = game.start, list[GameAction](), None
    for done in game.actions:
        before = done.before
        if last is None or before.rules != last.rules:
            last = start = replace(before, match=before.match.before_roll())
            actions.clear()
        if not is_continuation(before, last):
            assert before.position is not None
            actions.append(SetAction(before.position, replace(before.match, roll=None, resigned=0)))
        actions += _list_actions(done)
        last = done.after
    if start.position is None:
        return None
    match = start.match.before_roll()
    return RecordedGame(number, match, start.position, tuple(actions), game.result, start.rules)


def _list_actions(done: LoggedAction) -> list[GameAction]:
    """Return the entries for an action; a resignation with its answer, and with the roll that was out."""
    match = done.before.match
    if done.text == "reject":
        return [ResignationAction(1 - match.to_act, match.resigned, is_accepted=False)]
    actions = list_record_actions(done)
    if done.text == "accept" and match.roll is not None:
        return [RollAction(match.on_roll, match.roll), *actions]
    return actions


def write_record(written: dict[str, bytes], name: str, content: bytes) -> None:
    """Write a record to a file, whole or not at all, and never over what is not in it.

    Args:
        written: What was written before to files by their names; this comes to it.
        name: Of the file; an existing one is overwritten only if it is as it was written before, or if the
            record begins with all that is in it.
        content: The record.

    Raises:
        StateError: The file exists.
        DataFileError: It cannot be written.
    """

    def is_older(file: Path) -> bool:
        before = written.get(name, b"")
        with file.open("rb") as opened:
            there = opened.read(max(len(content), len(before)) + 1)
        return there == before or content.startswith(there)

    file = Path(os.path.expanduser(name))  # a path's own way fails on users that there are not
    check_output(file, force=None, is_own=is_older, field="save")
    try:
        with open_output(file) as out:
            out.write(content)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataFileError(f"{name} cannot be written: {reason}", field="save") from error
    written[name] = content
