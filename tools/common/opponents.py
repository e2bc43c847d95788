"""Players and nets by name, including those that only tools know: training runs, and other engines.

Their loaders are found by name and imported only when needed.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from engine.analysis.engine import Engine
from engine.errors import DataFileError, ValueRangeError
from engine.evaluation.evaluator import Evaluator
from engine.formats.array_file import MAX_ARRAY_FILE_BYTES, read_array_file
from engine.play.player import Player
from engine.runtime.regular_files import read_regular
from engine.store.opening import StoreOpener
from nets import catalogue
from nets.catalogue import PlayerSource
from nets.player_specs import FUNCTION, RUN, parse_evaluator, split_file_options
from tools.common.function_players import load_function_player

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

_GNUBG_LOADER = "tools.gnubg.nets:load_gnubg_player"

_RUN_FILES = ("net.txt", "best.npz", "checkpoint.npz", "log.jsonl")
"""The file that plays for the folder of a run: the first of these that exists."""

_USUAL_FILE = "checkpoint.npz"
"""The file that a message names where there is none."""

_KIND = "kind"
"""The array of an ``.npz`` file that names the trainer that wrote it."""

_BARCA_WEIGHTS = "tools.barca.weights:read_run_weights"

_NETS = "tools.train.weights.net_set:make_net_set_player"
_READERS_BY_SUFFIX = {
    ".txt": "tools.heritage.gengammon.runs:load_run_player",
    ".jsonl": "tools.heritage.heuristic_engine.command:load_climb_player",
}
"""What makes the player of a file that is no file of arrays, given the file."""

_RUN_READERS = {
    "td": _NETS,
    "fit": _NETS,
    "refine": _NETS,
    "classic": "tools.heritage.computational_backgammon.net_set:make_classic_player",
    "heuristic-net": "tools.heritage.phase_features.files:make_phase_net_player",
    "ascend": "tools.heritage.barca.runs:make_ascend_player",
}
"""Trainer -> what makes the player of its files: ``module:function``, given the file and its arrays."""

RUN_KINDS = tuple(_RUN_READERS)
"""The trainers whose ``.npz`` files play."""

_ARRAYS_BEFORE_KINDS = {
    "ascend": {"player", "vector"},
    "heuristic-net": {"w1", "b1", "w2", "b2", "w3", "b3"},
    "classic": {"layout"},
}
"""Trainer -> arrays that tell its files from the others' in those written before files had a kind."""


def load_net_evaluator(name: str) -> Evaluator:
    """Load an evaluator, as `nets.catalogue.load_evaluator`, that of a training run and of gnubg too."""
    return catalogue.load_evaluator(name, sources=_SOURCES)


def load_net_engine(name: str, threads: int = 1, open_store: StoreOpener | None = None) -> Engine:
    """Load an engine, as `nets.catalogue.load_engine`, with the nets of a training run or of gnubg too."""
    return catalogue.load_engine(name, threads, sources=_SOURCES, open_store=open_store)


def collect_net_hashes(name: str) -> dict[str, str]:
    """Return sha256 by name of the nets of a player, as `nets.catalogue.collect_net_hashes`."""
    if name.startswith(RUN_PREFIX):
        base, options = split_file_options(name)
        own = _hash_run_file(find_run_file(base))
        is_deep = bool(options) and parse_evaluator(base, options).is_deep
        return own | catalogue.collect_pruning_net_hashes() if is_deep else own
    return catalogue.collect_net_hashes(name, sources=_SOURCES)


def load_opponent(name: str) -> Player:
    """Load a player; a run's ``nets`` are the one file that plays, gnubg has none.

    Args:
        name: What `nets.catalogue.load_player` takes; ``gnubg``, with ``:plies=N`` behind it to look ahead;
            ``function:FILE.py`` (`tools.common.function_players`); or ``run:PATH`` with the folder of a
            training run (its best nets, or its last where none were measured), a file of nets, or a net as
            text (`nets.heritage.gengammon.net`). A run whose nets give outcomes takes the options of an
            evaluator behind a further colon.

    Raises:
        FormatError: An option cannot be read.
        ValueRangeError: No player has this name, or the value of an option is out of range.
        UnsupportedError: A package is missing that plays it.
        DataFileError: As `nets.catalogue.load_player`; or a run has no nets that can be read.
    """
    return catalogue.load_player(name, sources=_SOURCES)


def read_barca_weights(name: str) -> str:
    """Read the weights of a run of Barca, as `engine.barca.evaluation.load_weights` takes them.

    Args:
        name: ``run:`` and the folder of the run, or its file.

    Raises:
        DataFileError: It has none.
    """
    text: str = _find_loader(_BARCA_WEIGHTS)(name).to_text()
    return text


def _load_gnubg(name: str) -> Player:
    player: Player = _find_loader(_GNUBG_LOADER)(name)
    return player


def _load_run(name: str) -> Player:
    base, options = split_file_options(name)
    if options:
        return _load_run_with_options(base, options)
    file = find_run_file(name)
    nets = _hash_run_file(file)
    player = _load_run_file(file)
    player.nets = nets
    return player


def _load_run_with_options(base: str, options: str) -> Player:
    try:
        player = parse_evaluator(base, options).make(load_net_evaluator, load_net_engine)
    except ValueRangeError as error:
        if error.field != "net":
            raise
        raise ValueRangeError(
            f"{base} chooses plays and gives no values of positions, so it has no options, got "
            f"{options[:80]!r}",
            field="player",
        ) from error
    player.nets = collect_net_hashes(f"{base}:{options}")
    return player


def _find_loader(path: str) -> Callable[..., Any]:
    module, _, function = path.partition(":")
    loader: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return loader


def find_run_file(name: str) -> Path:
    """Find the file that plays for ``run:PATH`` or ``PATH``, which need not exist: a file itself."""
    path = Path(name.removeprefix(RUN_PREFIX))
    if not path.is_dir():
        return path
    return next((path / file for file in _RUN_FILES if (path / file).exists()), path / _USUAL_FILE)


_SOURCES: Mapping[str, PlayerSource] = {
    RUN: _load_run,
    "gnubg": _load_gnubg,
    FUNCTION: load_function_player,
}
"""Loaders of the players that only tools know, by the word before the colon."""


def _load_run_file(file: Path) -> Player:
    player: Player | None
    if reader := _READERS_BY_SUFFIX.get(file.suffix):
        player = _find_loader(reader)(file)
    else:
        arrays = read_array_file(file)
        player = _find_loader(_RUN_READERS.get(_find_kind(arrays), _NETS))(file, arrays)
    if player is None:
        raise DataFileError(f"{file} has no nets of the trainer that it names", field="player")
    return player


def _find_kind(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Find which trainer wrote a file; empty where nothing tells it."""
    if _KIND in arrays:
        return str(arrays[_KIND])
    known = (kind for kind, names in _ARRAYS_BEFORE_KINDS.items() if names <= arrays.keys())
    return next(known, "")


def _hash_run_file(file: Path) -> dict[str, str]:
    try:
        content = read_regular(file, MAX_ARRAY_FILE_BYTES)
        return {file.as_posix(): hashlib.sha256(content).hexdigest()}
    except OSError as error:
        raise DataFileError(f"{file} cannot be read: {error.strerror}", field="player") from error
