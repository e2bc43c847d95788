"""Players and nets by name, including those that only tools know: training runs, and other engines.

What makes them is in wings, and imported only when needed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import NDArray

from gammond.engine.bearoff import defer_bearoff
from gammond.engine.errors import DataFileError
from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.formats.array_file import MAX_ARRAY_FILE_BYTES, read_array_file
from gammond.engine.play.player import Player
from gammond.engine.runtime.files import read_data_file
from gammond.engine.search import NPlyEvaluator
from gammond.nets.catalogue import Catalogue, load_pruner
from gammond.nets.manifest import KindLoader
from gammond.nets.player_specs import FUNCTION, RUN, EvaluatorSpec, KindSpec, PlayerSpec, split_file_options
from gammond.tools.common.function_players import FunctionSpec
from gammond.tools.common.wings import find_wings

PLAYER_HELP = (
    "a player of 'gammond players', with options after a colon: 'default', 'NAME:plies=2,filter=narrow', "
    "'NAME:level=casual', 'pubeval', 'random:seed=3', 'run:FOLDER' (the nets of a training run, or of "
    "'run:FILE.npz', 'run:FILE.txt'), 'run:FOLDER:plies=1', 'function:FILE.py' (runs the file; its "
    "score(own, other) values plays), 'gnubg' (0-ply, or 'gnubg:plies=1'; needs the package gnubg-nn), "
    "'wildbg:FOLDER' (contact.onnx and race.onnx in it)"
)
"""For the help of commands that take a player."""

RUN_PREFIX = f"{RUN}:"
"""Before the folder of a training run, or a file of nets in it, in the name of a player."""

_RUN_FILES = ("net.txt", "best.npz", "checkpoint.npz", "log.jsonl")
"""The file that plays for the folder of a run: the first of these that exists."""

_USUAL_FILE = "checkpoint.npz"
"""The file that a message names where there is none."""

_KIND = "kind"
"""The array of an ``.npz`` file that names the trainer that wrote it."""

_USUAL_KIND = "td"
"""The trainer whose reader reads files of others that play, and those that name no trainer."""

_Reader = TypeVar("_Reader")


def read_run_weights(name: str) -> str:
    """Read the weights of a run of another game than backgammon, as the game's players take them.

    Args:
        name: ``run:`` and the folder of the run, or its file.

    Raises:
        DataFileError: It has none.
    """
    (read,) = (wing.read_weights for wing in find_wings() if wing.read_weights)
    return read(name)


def list_run_kinds() -> list[str]:
    """List the trainers whose ``.npz`` files play."""
    return [kind for wing in find_wings() for kind in wing.run_readers]


class RunSpec(KindSpec, frozen=True):
    """A training run, or a file of nets of it, that plays as it is."""

    name = f"{RUN}:FOLDER"
    summary = (
        "the player of a training run, or of a file: run:FILE.npz; its nets take the options of "
        "evaluators where they give outcomes: run:FOLDER:plies=1"
    )

    path: str

    @classmethod
    def parse(cls, text: str) -> PlayerSpec:
        """Parse the name, with the options of an evaluator where there are any."""
        base, options = split_file_options(text)
        return EvaluatorSpec.parse(base, options) if options else cls(text.removeprefix(RUN_PREFIX))

    def make(self) -> Player:
        """Make the player of the file that plays for the run.

        Raises:
            DataFileError: It has no nets that can be read.
        """
        file = find_run_file(self.path)
        by_suffix = {suffix: load for wing in find_wings() for suffix, load in wing.file_readers.items()}
        if load := by_suffix.get(file.suffix):
            return load(file)
        arrays = read_array_file(file)
        by_kind = {kind: make for wing in find_wings() for kind, make in wing.run_readers.items()}
        try:
            return find_reader(by_kind, arrays)(file, arrays)
        except DataFileError as error:
            if _KIND in arrays:
                raise
            raise DataFileError(
                f"{error.message}; the file names no trainer, so it is taken for one of 'gammond train td': "
                "make it again by its trainer",
                field="player",
            ) from error

    def collect_net_hashes(self) -> dict[str, str]:
        """Return the hash of that file.

        Raises:
            DataFileError: It cannot be read.
        """
        file = find_run_file(self.path)
        content = read_data_file(file, MAX_ARRAY_FILE_BYTES, str(file), "player")
        return {file.as_posix(): hashlib.sha256(content).hexdigest()}


def find_run_file(name: str) -> Path:
    """Find the file that plays for ``run:PATH`` or ``PATH``, which need not exist: a file itself."""
    path = Path(name.removeprefix(RUN_PREFIX))
    if not path.is_dir():
        return path
    return next((path / file for file in _RUN_FILES if (path / file).exists()), path / _USUAL_FILE)


def find_reader(readers: Mapping[str, _Reader], arrays: Mapping[str, NDArray[Any]]) -> _Reader:
    """Return what reads a file: what is kept by the trainer that its arrays name, or that of usual nets."""
    return readers.get(str(arrays.get(_KIND)), readers[_USUAL_KIND])


@cache
def find_sources() -> Mapping[str, KindLoader]:
    """Return what loads the kinds of players that only tools know, by the word before the colon."""
    others = {word: load for wing in find_wings() for word, load in wing.sources.items()}
    return {RUN: lambda: RunSpec, **others, FUNCTION: lambda: FunctionSpec}


PLAYERS = Catalogue(find_kinds=find_sources)
"""All players and nets by name: those of `gammond.nets.catalogue.SHIPPED`, and those that only tools know.

``gnubg``, with ``:plies=N`` behind it to look ahead, has no nets of this machine. ``run:PATH`` has the folder
of a training run (its best nets, or its last where none were measured), a file of nets, or a net as text; a
run whose nets give outcomes takes the options of an evaluator behind a further colon. ``function:FILE.py`` is
in `gammond.tools.common.function_players`.
"""

load_opponent = PLAYERS.load_player
load_net_evaluator = PLAYERS.load_evaluator
load_net_engine = PLAYERS.load_engine
collect_net_hashes = PLAYERS.collect_net_hashes

_LOOKS_AHEAD = re.compile("(.+):plies=([12])")


def load_deep_evaluator(name: str, load: Callable[[str], Evaluator] = load_net_evaluator) -> Evaluator:
    """Load an evaluator that may look ahead.

    Args:
        name: An evaluator; with ``:plies=N`` behind it, 1 or 2, it looks ahead.
        load: Loads it by what is before that.

    Raises:
        GammondError: As `load`.
    """
    deep = _LOOKS_AHEAD.fullmatch(name)
    if not deep or deep[1] == "gnubg":  # which looks ahead in its own way
        return load(name)
    exact = (defer_bearoff(is_default=True).two_sided,)
    return NPlyEvaluator(load(deep[1]), load_pruner(), int(deep[2]), exact=exact)
