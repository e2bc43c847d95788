"""Damaged files of gammond's own: refused by name, or read with nothing in them that is no number."""

from __future__ import annotations

import io
import logging
import random
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff import open_table, save_table
from gammond.engine.bearoff.one_sided import build_one_sided
from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.evaluation.results import CubeDecision, Evaluation, RankedPlay
from gammond.engine.hypergammon.construction import build_table
from gammond.engine.hypergammon.table import open_file, write_table
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.model import ActionNotes, RecordedMatch
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings, load_state, roll_out, save_state
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position
from gammond.engine.store.store import AnalysisStore
from gammond.nets.compiled_net import load_net
from gammond.nets.manifest import MANIFEST_FILE, read_manifest
from gammond.tools.analyse.kept_decisions import KeptDecisions
from gammond.tools.common.files import write_arrays
from gammond.tools.tournament.backgammon import TournamentRules
from gammond.tools.tournament.entrants import Entrant
from gammond.tools.tournament.games import GameRange
from gammond.tools.tournament.results_file import ResultsFile
from gammond.tools.train.weights.net_set import load_net_set, read_net_set
from tests.attacks.match_files import mutate_file
from tests.attacks.readings import Readings
from tests.attacks.server import Home, Server, serve
from tests.attacks.trial import Attack, Trial, expect
from tests.attacks.wire import ask_once, run_clients
from tests.engine.match_files.played_games import MAT_GAME
from tests.engine.store.samples import ENGINE, make_entry, make_question
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

_QUESTIONS = 40
_RACE = boards.position({6: 3, 5: 2}, {21: 3, 20: 2, 19: 2})
_ODD_NUMBERS = (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e38, -1.0, 0.0)

Numbers = Iterable[NDArray[Any]]


class _Kind(NamedTuple):
    """A kind of file.

    Attributes:
        write: Writes one into a folder, and returns it.
        read: Reads it, and returns all numbers that it believes.
        is_archive: Whether arrays of it can be altered and packed again.
    """

    write: Callable[[Path], Path]
    read: Callable[[Path], Numbers]
    is_archive: bool = False


def _write_database(folder: Path, *, is_two_sided: bool) -> Path:
    file = folder / "table.bearoff"
    save_table(build_two_sided(3, 3) if is_two_sided else build_one_sided(3, 4), file)
    return file


def _write_rollout(folder: Path) -> Path:
    evaluator = RacingEvaluator()
    evaluators = RolloutEvaluators(EvaluatorPruner(evaluator), evaluator)
    settings = RolloutSettings(trials=72, stop_jsd=0.0, seed=9)
    save_state(roll_out([_RACE], evaluators, settings).state, folder / "state")
    return folder / "state"


def _read_rollout(file: Path) -> Numbers:
    state = load_state(file)
    return state.starts, *state.scores, state.cubes.stakes


def _write_net_set(folder: Path) -> Path:
    file = folder / "best.npz"
    write_arrays(file, load_net_set("default").to_arrays())
    return file


def _read_net_set(file: Path) -> Numbers:
    nets = read_net_set(file)
    return *nets.to_arrays().values(), nets.make_evaluator().evaluate(_RACE.board[None])


def _write_manifest(folder: Path) -> Path:
    return Path(shutil.copy(MANIFEST_FILE, folder))


def _read_manifest(file: Path) -> Numbers:
    read_manifest(file)
    return ()


def _write_net(folder: Path) -> Path:
    net = min(read_manifest().nets, key=lambda each: (MANIFEST_FILE.parent / each.file).stat().st_size)
    file = folder / net.file
    file.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(MANIFEST_FILE.parent / net.file, file))


def _read_net(file: Path) -> Numbers:
    (net,) = [each for each in read_manifest().nets if Path(each.file).name == file.name]
    evaluator = load_net(net, file.parents[len(Path(net.file).parts) - 1])
    return (evaluator.evaluate(_RACE.board[None]),)


def _make_entry(number: int) -> Any:
    return make_entry(plies=1 + number % 3, seed=number)


def _write_store(folder: Path) -> Path:
    file = folder / "store.sqlite"
    with AnalysisStore(file) as store:
        for number in range(_QUESTIONS):
            store.keep(make_question(number), ENGINE, _make_entry(number))
    return file


def _read_store(file: Path) -> Numbers:
    found = []
    with AnalysisStore(file) as store:
        for number in range(_QUESTIONS):
            kept, entry = _make_entry(number), store.find(make_question(number), ENGINE, 1 + number % 3)
            if entry is not None:
                expect(entry.is_same_as(kept), f"question {number} has another answer than was kept")
                found.append(entry.values)
    return found


def _write_solution(folder: Path) -> Path:
    file, table = folder / "hypergammon.solution", build_table(1)
    write_table(file, 1, table.arrays)
    return file


def _read_solution(file: Path) -> Numbers:
    return open_file(file, 1).arrays


_RULES, _RUN = TournamentRules(seed=3), {"method": "by hand"}
_ENTRANTS = [Entrant(name, name, {}, False) for name in ("ann", "bob")]


def _write_results(folder: Path) -> Path:
    values = np.array([1.0, -2.0, 3.0, -1.0])
    with ResultsFile(folder / "results", _RULES, _ENTRANTS) as kept:
        for start in (0, 4):
            kept.add("ann", "bob", GameRange(start, 4), PairedScores(values, values.astype(np.int8)))
    return folder / "results"


def _read_results(file: Path) -> Numbers:
    with ResultsFile(file, _RULES, _ENTRANTS) as kept:
        scores = kept.get_scores("ann", "bob")
    return scores.values, scores.kinds, scores.lengths


def _make_match() -> RecordedMatch:
    return parse_mat(f" 5 point match\n\n Game 1\n{MAT_GAME}")[0]


def _write_decisions(folder: Path) -> Path:
    match = _make_match()
    with KeptDecisions(folder / "out.unfinished", _RUN) as kept:
        journal = kept.open_match(match)
        for number, evaluation in enumerate((0.25, -0.5)):
            found = Evaluation(evaluation, Outcome(0.5, 0.1, 0.0, 0.1, 0.0), "2-ply", 0.01, 36)
            candidates = tuple(RankedPlay(play, found) for play in legal_plays(Position.start(), (3, 1))[:3])
            cube = CubeDecision.of_choices(found._replace(equity=0.1), found)
            journal["searched", number] = ActionNotes(candidates=candidates, cube=cube)
    return folder / "out.unfinished"


def _read_decisions(file: Path) -> Numbers:
    with KeptDecisions(file, _RUN) as kept:
        journal = kept.open_match(_make_match())
        found = [notes for number in (0, 1) if (notes := journal.get(("searched", number)))]
    cubes = [notes.cube for notes in found if notes.cube is not None]
    evaluations = [each.evaluation for notes in found for each in notes.candidates]
    evaluations += [
        choice
        for each in cubes
        for choice in (each.no_double, each.double_take, each.double_pass)
        if choice is not None
    ]
    return tuple(np.array([each.equity, *(each.outcome or ())]) for each in evaluations)


_KINDS = {
    "two-sided": _Kind(partial(_write_database, is_two_sided=True), lambda file: open_table(file).arrays),
    "one-sided": _Kind(partial(_write_database, is_two_sided=False), lambda file: open_table(file).arrays),
    "solution": _Kind(_write_solution, _read_solution),
    "rollout": _Kind(_write_rollout, _read_rollout, is_archive=True),
    "net-set": _Kind(_write_net_set, _read_net_set, is_archive=True),
    "manifest": _Kind(_write_manifest, _read_manifest),
    "net": _Kind(_write_net, _read_net),
    "store": _Kind(_write_store, _read_store),
    "results": _Kind(_write_results, _read_results),
    "decisions": _Kind(_write_decisions, _read_decisions),
}


def _alter_arrays(content: bytes, rng: random.Random) -> bytes:
    """Return an archive of arrays with an array that is odd, of another shape or type, or missing."""
    with np.load(io.BytesIO(content)) as archive:
        arrays = {name: archive[name] for name in archive.files}
    name = rng.choice(sorted(arrays))
    array = arrays[name]
    packed = io.BytesIO()
    match rng.randrange(6):
        case 0:
            del arrays[name]
        case 1:
            arrays[name] = array.reshape(-1)[: rng.randrange(array.size + 1)]
        case 2:
            is_text = array.dtype.kind in "US"
            kinds = ("U4", "S3") if is_text else ("int8", "int64", "float64", "complex64", "U4")
            arrays[name] = array.astype(rng.choice(kinds))
        case 3:
            arrays[name] = np.frombuffer(mutate_file(array.tobytes() or b"\0", rng)[0], np.uint8)
        case _ if array.size:
            wide = array.astype(np.float64 if array.dtype.kind == "f" else array.dtype)
            with np.errstate(all="ignore"):
                odd = rng.choice(_ODD_NUMBERS) if wide.dtype.kind == "f" else rng.choice((0, 1, 127))
                wide.reshape(-1)[rng.randrange(array.size)] = odd
                arrays[name] = wide.astype(rng.choice((array.dtype, wide.dtype)))
    np.savez(packed, **arrays)
    return packed.getvalue() if rng.random() < 0.8 else _claim_much(packed.getvalue(), f"{name}.npy", rng)


def _claim_much(content: bytes, member: str, rng: random.Random) -> bytes:
    """Return an archive with an array whose header claims far more numbers than there are."""
    packed = io.BytesIO()
    length = rng.choice((10**6, 10**12, 2**63 - 1, -1))
    header = {"descr": rng.choice(("<f8", "|O", "<U9")), "fortran_order": False, "shape": (length, 2)}
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(packed, "w") as target:
        for name in source.namelist():
            if name == member:
                array = io.BytesIO()
                np.lib.format.write_array_header_1_0(array, header)
                target.writestr(name, array.getvalue() + bytes(64))
            else:
                target.writestr(name, source.read(name))
    return packed.getvalue()


def attack_kind(name: str, trial: Trial) -> str:
    """Read damaged files of one kind."""
    kind, folder = _KINDS[name], trial.home.make_subfolder(name).folder
    file = kind.write(folder)
    whole, siblings = file.read_bytes(), set(folder.rglob("*"))
    _check_numbers(name, kind.read(file))
    count, readings = trial.dose(20, 2_000), Readings()
    with _keep_quiet(logging.getLogger("gammond.engine")):  # it reports each damaged file
        while readings.files < count:
            altered = whole
            while altered == whole:
                is_packed = kind.is_archive and trial.rng.random() < 0.7
                altered = _alter_arrays(whole, trial.rng) if is_packed else mutate_file(whole, trial.rng)[0]
            for each in set(folder.rglob("*")) - siblings:
                each.unlink(missing_ok=True)
            file.write_bytes(altered)
            found = readings.read(name, lambda: kind.read(file), file)
            _check_numbers(name, () if found is None else found)
            trial.note(f"{readings.files:,} of {count:,} files")
    return readings.rate()


@contextmanager
def _keep_quiet(log: logging.Logger) -> Iterator[None]:
    """Let nothing be logged meanwhile."""
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(level)


def _check_numbers(name: str, found: Numbers) -> None:
    for array in found:
        is_sound = array.dtype.kind not in "fc" or bool(np.isfinite(array).all())
        expect(is_sound, f"{name}: what is no number was believed")


_LINES = (
    "position xgid XGID=-BBBBBC------------ccccc--:0:0:1:00:0:0:0:0:10",
    "position xgid XGID=-BB--------------------bb-:0:0:1:00:0:0:0:0:10",
    "position xgid XGID=-B----------------------b-:0:0:1:00:0:0:0:0:10",
)
"""Positions that the bearoff databases answer for."""


def cut_databases(trial: Trial) -> str:
    """Databases that are cut, or altered, under a server that uses them: the same answers go on."""
    home = Home(trial.home.folder, trial.home.cache, trial.home.folder / "data")
    shutil.copytree(trial.home.data, home.data, ignore=shutil.ignore_patterns("nets", "*.sqlite*"))
    files = sorted(home.data.glob("*.bearoff"))
    expect(len(files) == 2, f"expected the two default databases, got {files}")
    with serve(home) as server:
        whole = _ask(server)
        for file in files:
            with file.open("r+b") as content:
                content.truncate(trial.rng.randrange(1000))
        for _ in range(trial.dose(5, 200)):
            expect(_ask(server) == whole, "answers differ once the databases are cut")
    _check_unused(home, whole, len(files), "cut databases")
    for file in files:
        shutil.copy(trial.home.data / file.name, file)
        content = bytearray(file.read_bytes())
        content[trial.rng.randrange(len(content))] ^= 1 << trial.rng.randrange(8)
        file.write_bytes(content)
    _check_unused(home, whole, len(files), "flipped bits")
    return "both databases cut in place under a server, then found cut, then with a bit flipped: one answer"


def _check_unused(home: Home, whole: list[str], count: int, found: str) -> None:
    """Check that a server that finds damaged databases says so of each, and answers as without them."""
    with serve(home) as server:
        expect(_ask(server) == whole, f"a server that finds {found} answers differently")
        expect(server.read_log().count("cannot be used") == count, f"not said: {server.read_log()!r}")


def _ask(server: Server) -> list[str]:
    return [run_clients(ask_once(server.port, line, "eval", "cube")) for line in _LINES]


ATTACKS = (
    *(
        Attack(f"damaged-{name}", f"damaged files of the kind {name}", partial(attack_kind, name))
        for name in _KINDS
    ),
    Attack("cut-databases", "bearoff databases cut or altered under a server that uses them", cut_databases),
)
