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
from engine.errors import DataFileError
from engine.evaluation.evaluator import Evaluator
from engine.formats.array_file import read_array_file
from engine.play.player import Player
from engine.store.opening import StoreOpener
from nets import catalogue
from nets.catalogue import PlayerSource

PLAYER_HELP = (
    "a player of 'gammond players', with options after a colon: 'default', 'NAME:plies=2,filter=narrow', "
    "'NAME:level=casual', 'pubeval', 'random:seed=3', 'run:FOLDER' (the nets of a training run, or of "
    "'run:FILE.npz', 'run:FILE.txt'), 'gnubg' (0-ply, or 'gnubg:plies=1'; needs the package gnubg-nn), "
    "'wildbg:FOLDER' (contact.onnx and race.onnx in it)"
)
"""For the help of commands that take a player."""

RUN_PREFIX = "run:"
"""Before the folder of a training run, or a file of nets in it, in the name of a player."""

_GNUBG_LOADER = "tools.gnubg.nets:load_gnubg_player"

_RUN_FILES = ("net.txt", "best.npz", "checkpoint.npz")
"""The file that plays for the folder of a run: the first of these that exists."""

_KIND = "kind"
"""The array of an ``.npz`` file that names the trainer that wrote it."""

_NETS = "tools.train.weights.net_set:make_net_set_player"
_TEXT_NET = "tools.heritage.gengammon.runs:load_run_player"

_RUN_READERS = {
    "td": _NETS,
    "fit": _NETS,
    "refine": _NETS,
    "classic": "tools.heritage.computational_backgammon.net_set:make_classic_player",
    "heuristic-net": "tools.heritage.phase_features.files:make_phase_net_player",
    "ascend": "tools.heritage.barca.runs:make_ascend_player",
}
"""Trainer -> what makes the player of its files: ``module:function``, given the file and its arrays."""

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
        return _hash_run_file(_find_run_file(name))
    return catalogue.collect_net_hashes(name, sources=_SOURCES)


def load_opponent(name: str) -> Player:
    """Load a player; a run's ``nets`` are the one file that plays, gnubg has none.

    Args:
        name: What `nets.catalogue.load_player` takes; ``gnubg``, with ``:plies=N`` behind it to look ahead;
            or ``run:PATH`` with the folder of a training run (its best nets, or its last where none were
            measured), a file of nets, or a net as text (`nets.heritage.gengammon.net`).

    Raises:
        FormatError: An option cannot be read.
        ValueRangeError: No player has this name, or the value of an option is out of range.
        UnsupportedError: A package is missing that plays it.
        DataFileError: As `nets.catalogue.load_player`; or a run has no nets that can be read.
    """
    return catalogue.load_player(name, sources=_SOURCES)


def _load_gnubg(name: str) -> Player:
    player: Player = _find_loader(_GNUBG_LOADER)(name)
    return player


def _load_run(name: str) -> Player:
    file = _find_run_file(name)
    nets = _hash_run_file(file)
    player = _load_run_file(file)
    player.nets = nets
    return player


def _find_loader(path: str) -> Callable[..., Any]:
    module, _, function = path.partition(":")
    loader: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return loader


def _find_run_file(name: str) -> Path:
    path = Path(name.removeprefix(RUN_PREFIX))
    if not path.is_dir():
        return path
    return next((path / file for file in _RUN_FILES if (path / file).exists()), path / _RUN_FILES[-1])


_SOURCES: Mapping[str, PlayerSource] = {"run": _load_run, "gnubg": _load_gnubg}
"""Loaders of the players that only tools know, by the word before the colon."""


def _load_run_file(file: Path) -> Player:
    player: Player | None
    if file.suffix == ".txt":
        player = _find_loader(_TEXT_NET)(file)
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
        return {file.as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()}
    except OSError as error:
        raise DataFileError(f"{file} cannot be read: {error.strerror}", field="player") from error
