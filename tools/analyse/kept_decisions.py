"""The decisions of an unfinished run, in a file beside its output, from which the next run goes on.

It has a line of JSON for the run, one for each match that was begun, and behind it one for each decision. The
last line may be cut short, by a kill.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from gammond.engine.errors import DataFileError, StateError
from gammond.engine.evaluation.results import CubeDecision, Evaluation, RankedPlay
from gammond.engine.formats.position_id import decode_position_id, encode_position_id
from gammond.engine.match_analysis.notes import AnalysisJournal
from gammond.engine.match_files.model import ActionNotes, RecordedMatch
from gammond.engine.rules.moves import Play
from gammond.engine.rules.outcome import Outcome

_RUN_START, _MATCH_START = b'{"run":', b'{"match":'


def find_kept_file(output: Path) -> Path:
    """Return the file with the decisions of an unfinished run, beside its output."""
    return output.with_name(f"{output.name}.unfinished")


class KeptDecisions:
    """The file of a run, used as a context manager.

    Args:
        path: The file.
        run: What the decisions depend on; a file of another run is refused.
        is_new: Whether to begin anew, whichever run's is there.

    Attributes:
        date: When the run was begun.

    Raises:
        StateError: The file is of another run.
        DataFileError: It is of something else, and left as it is; or it cannot be read or written.
    """

    def __init__(self, path: Path, run: Mapping[str, object], *, is_new: bool = False) -> None:
        self.date = datetime.now().astimezone()
        self._path = path
        self._places: dict[str, list[int]] = defaultdict(list)
        self._lock = threading.Lock()
        try:
            self._file = path.open("r+b" if path.exists() else "w+b")
        except OSError as error:
            raise DataFileError(f"{path} cannot be used: {error.strerror}", field="output") from error
        try:
            self._check_run(run, is_new=is_new)
            self._find_matches()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> KeptDecisions:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def matches(self) -> int:
        """How many matches an earlier run has begun."""
        return len(self._places)

    def open_match(self, match: RecordedMatch) -> MatchJournal:
        """Return the journal of a match, with what an earlier run has analysed of it."""
        key = f"{match.rules.rules.variant.name} {hash_games(match)}"
        with self._lock:
            known = self._read_match(key)
            self._file.seek(0, 2)
            self._write({"match": key})
        return MatchJournal(self, known)

    def add(self, record: Mapping[str, object]) -> None:
        """Append a decision of the match that was opened last."""
        with self._lock:
            self._write(record)

    def remove(self) -> None:
        """Delete the file: the run is finished."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def _write(self, record: Mapping[str, object]) -> None:
        try:
            self._file.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise DataFileError(f"{self._path} cannot be written: {error.strerror}") from error

    def _check_run(self, run: Mapping[str, object], *, is_new: bool) -> None:
        first = self._file.readline()
        is_own = _RUN_START.startswith(first[: len(_RUN_START)])
        if is_own and (is_new or not first.endswith(b"\n")):
            self._file.seek(0)
            self._file.truncate()
            self._write({"run": run, "date": self.date.isoformat()})
            return
        try:
            head = json.loads(first)
            found, self.date = dict(head["run"]), datetime.fromisoformat(head["date"])
        except (ValueError, KeyError, TypeError):
            raise DataFileError(
                f"{self._path} is no file of an unfinished run: move it away, or name another --output",
                field="output",
            ) from None
        for name in run:
            if found.get(name) != run[name]:
                raise StateError(
                    f"{self._path} has the decisions of an unfinished run with other settings ({name}: "
                    f"{found.get(name)}; now {run[name]}): repeat its command to finish it, or add --force "
                    "to begin anew",
                    field="output",
                )

    def _find_matches(self) -> None:
        """Find where matches begin, and cut a last line off that is not whole."""
        place = self._file.tell()
        for line in self._file:
            if not line.endswith(b"\n"):
                self._file.truncate(place)
                break
            if line.startswith(_MATCH_START):
                self._places[self._read_key(line)].append(place)
            place += len(line)

    def _read_key(self, line: bytes) -> str:
        try:
            return str(json.loads(line)["match"])
        except (ValueError, KeyError, TypeError) as error:
            raise self._make_damage() from error

    def _make_damage(self) -> DataFileError:
        return DataFileError(f"{self._path} is damaged: add --force to begin anew", field="output")

    def _read_match(self, key: str) -> AnalysisJournal:
        known = AnalysisJournal()
        for place in self._places.get(key, ()):
            self._file.seek(place)
            self._file.readline()
            for line in self._file:
                if line.startswith(_MATCH_START):
                    break
                try:
                    record = json.loads(line, parse_constant=_refuse_constant)
                    known[record["stage"], record["decision"]] = _parse_notes(record)
                except (ValueError, KeyError, TypeError) as error:
                    raise self._make_damage() from error
        return known


def _refuse_constant(name: str) -> float:
    """Refuse NaN and infinity, which no decision has."""
    raise ValueError(f"expected a number, got {name}")


def hash_games(match: RecordedMatch) -> str:
    """Return a hash of all that was done in a match, the same for each file that has it."""
    parts = [(game.initial_state, game.position, game.actions) for game in match.games]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


class MatchJournal(AnalysisJournal):
    """The decisions of one match, in the file of its run too.

    Args:
        kept: Takes new ones.
        known: Those of an earlier run, by stage and number.
    """

    def __init__(self, kept: KeptDecisions, known: AnalysisJournal) -> None:
        super().__init__(known)
        self._kept = kept

    def __setitem__(self, decision: tuple[str, int], notes: ActionNotes) -> None:
        """Take new notes on a decision, and write them."""
        stage, number = decision
        self._kept.add({"stage": stage, "decision": number, **_list_notes(notes)})
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


def _parse_notes(record: Mapping[str, Any]) -> ActionNotes:
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
