"""The decisions of an unfinished run, in a file beside its output, from which the next run goes on.

It has a line of JSON for the run, one for each match that was begun, and behind it one for each decision.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from gammond.engine.evaluation.results import CubeDecision, Evaluation, RankedPlay
from gammond.engine.formats.position_id import decode_position_id, encode_position_id
from gammond.engine.match_analysis.notes import AnalysisJournal
from gammond.engine.match_files.model import ActionNotes, RecordedMatch
from gammond.engine.rules.moves import Play
from gammond.engine.rules.outcome import Outcome
from gammond.tools.common.journal import Journal, LinePlace, Record


def find_kept_file(output: Path) -> Path:
    """Return the file with the decisions of an unfinished run, beside its output."""
    return output.with_name(f"{output.name}.unfinished")


class KeptDecisions(Journal):
    """The file of a run, used as a context manager.

    Args:
        path: The file.
        run: What the decisions depend on; a file of another run is refused.
        is_new: Whether to begin anew, whichever run's is there.

    Attributes:
        date: When the run was begun.

    Raises:
        GammondError: As `Journal`.
    """

    def __init__(self, path: Path, run: Mapping[str, object], *, is_new: bool = False) -> None:
        self.date = datetime.now().astimezone()
        self._places: dict[str, list[LinePlace]] = defaultdict(list)
        super().__init__(
            path,
            {"run": run, "date": self.date.isoformat()},
            "output",
            take=self._take_record,
            identify=lambda head: dict(head["run"]),
            restart="add --force to begin anew",
            is_new=is_new,
            is_compact=True,
        )

    @property
    def matches(self) -> int:
        """How many matches an earlier run has begun."""
        return len(self._places)

    def open_match(self, match: RecordedMatch) -> MatchJournal:
        """Return the journal of a match, with what an earlier run has analysed of it."""
        key = f"{match.rules.rules.variant.name} {hash_games(match)}"
        known = AnalysisJournal()
        for start in self._places.get(key, ()):
            for place, record in islice(self.read(start), 1, None):
                if "match" in record:
                    break
                with self.name_line(place):
                    known[record["stage"], record["decision"]] = _parse_notes(record)
        self.append({"match": key})
        return MatchJournal(self, known)

    def _take_record(self, place: LinePlace, record: Record) -> None:
        if place.number == 1:
            self.date = datetime.fromisoformat(record["date"])
        elif "match" in record:
            self._places[str(record["match"])].append(place)


def hash_games(match: RecordedMatch) -> str:
    """Return a hash of all that was done in a match, the same for each file that has it."""
    parts = [(game.initial_state, game.position, game.actions) for game in match.games]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


class MatchJournal(AnalysisJournal):
    """The decisions of one match, in the file of its run too.

    Args:
        journal: Takes new ones.
        known: Those of an earlier run, by stage and number.
    """

    def __init__(self, journal: Journal, known: AnalysisJournal) -> None:
        super().__init__(known)
        self._journal = journal

    def __setitem__(self, decision: tuple[str, int], notes: ActionNotes) -> None:
        """Take new notes on a decision, and write them."""
        stage, number = decision
        self._journal.append({"stage": stage, "decision": number, **_list_notes(notes)})
        super().__setitem__(decision, notes)


def _list_notes(notes: ActionNotes) -> dict[str, object]:
    listed: dict[str, object] = {}
    if notes.candidates:
        listed["candidates"] = [
            [each.play.moves, each.play.hits, encode_position_id(each.play.result), _list(each.evaluation)]
            for each in notes.candidates
        ]
    if notes.cube is not None:
        cube = notes.cube
        listed["cube"] = [*cube.equities, _list(cube.no_double), _list(cube.double_take or cube.no_double)]
    return listed


def _list(evaluation: Evaluation) -> list[object]:
    return [evaluation.equity, evaluation.outcome, evaluation.depth, evaluation.error, evaluation.trials]


def _parse_notes(record: Record) -> ActionNotes:
    json.dumps(record, allow_nan=False)  # refuses NaN and infinity, which no decision has
    candidates = []
    for moves, hits, result, listed in record.get("candidates", ()):
        pairs = tuple((source, target) for source, target in moves)
        play = Play(pairs, tuple(hits), decode_position_id(result))
        candidates.append(RankedPlay(play, _parse(listed)))
    cube = None
    if "cube" in record:
        _, _, passed, held, taken = record["cube"]
        cube = CubeDecision.of_choices(_parse(held), _parse(taken), Evaluation(passed))
    return ActionNotes(candidates=tuple(candidates), cube=cube)


def _parse(listed: Any) -> Evaluation:  # noqa: ANN401
    equity, outcome, depth, error, trials = listed
    return Evaluation(equity, None if outcome is None else Outcome(*outcome), depth, error, trials)
