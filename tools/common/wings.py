"""Wings: rooms that tools reach only through what they add to the commands of others.

A wing is a folder of the tools whose ``wing.py`` has a `Wing`; nothing else names it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gammond.engine.play.player import Player
    from gammond.engine.rules.outcome import Outcomes
    from gammond.engine.rules.position import Board
    from gammond.nets.manifest import KindLoader

_TOOLS = Path(__file__).parent.parent

RunReader = Callable[[Path, "Mapping[str, NDArray[Any]]"], "Player"]
"""Makes the player of a file of a run, given its arrays too."""


@dataclass(frozen=True)
class ExportedNet:
    """A net of a run that gives outcomes, for ``gammond export``.

    Attributes:
        encoder_id: Id of its encoder.
        hidden: Sizes of its hidden layers.
        make_onnx: Makes its file, given its name.
        evaluate: Computes what the file has to compute.
    """

    encoder_id: str
    hidden: tuple[int, ...]
    make_onnx: Callable[[str], bytes]
    evaluate: Callable[[Board], Outcomes]


@dataclass(frozen=True)
class ExportedScorer:
    """The net of a run that only rates plays, for ``gammond export``.

    Attributes:
        activation: What its hidden units do, as manifests have it.
        player: The player kind that plays it.
        make_onnx: Makes its file, given its name, and compares it with the net.
    """

    activation: str
    player: str
    make_onnx: Callable[[str], bytes]


class SequenceCounter(NamedTuple):
    """Counts the sequences of legal moves from a position, for ``gammond perft``.

    Attributes:
        count: Counts those of a length, 0 or more.
        after_moves: By first move, what counts those after it.
    """

    count: Callable[[int], int]
    after_moves: Mapping[str, Callable[[int], int]]


NetReader = Callable[[Path], "Mapping[str, ExportedNet] | ExportedScorer"]
"""Reads the nets of a file of a run, by what they are trained on, or its one net that rates plays."""


@dataclass(frozen=True)
class Wing:
    """What a wing adds to commands; each function imports what it needs.

    Attributes:
        sources: Word before the colon of a player's name -> loads the kind of player.
        run_readers: Trainer -> makes the player of its ``.npz`` files.
        file_readers: Suffix -> makes the player of a file of a run that holds no arrays.
        net_readers: Trainer, or suffix of files that hold no arrays -> reads what ``gammond export`` exports.
        read_weights: Reads the weights of a run of another game than backgammon, given ``run:`` and its
            folder, as text that the game's players take.
        trainers: Trainer -> the module of its command, with its
            `gammond.tools.train.runs.trainer.Trainer` as ``TRAINER``.
        train_commands: Those trainers that are sub-commands of ``gammond train``.
        measure_commands: Sub-command of ``gammond measure`` -> its module.
        tournaments: Game other than backgammon -> loads its `gammond.tools.tournament.options.RulesReader`.
        counters: Game other than backgammon -> makes the counter of a position, given its text; the start if
            None.
        find_drawing: Returns what draws runs, if all of them are of a kind that is drawn against minutes
            alone; given their folders.
        list_checks: Lists what ``gammond doctor`` examines: what it is called, and what returns a description
            of it or raises an error that says what is wrong.
    """

    sources: Mapping[str, KindLoader] = field(default_factory=dict)
    run_readers: Mapping[str, RunReader] = field(default_factory=dict)
    file_readers: Mapping[str, Callable[[Path], Player]] = field(default_factory=dict)
    net_readers: Mapping[str, NetReader] = field(default_factory=dict)
    read_weights: Callable[[str], str] | None = None
    trainers: Mapping[str, str] = field(default_factory=dict)
    train_commands: Collection[str] = ()
    measure_commands: Mapping[str, str] = field(default_factory=dict)
    tournaments: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    counters: Mapping[str, Callable[[str | None], SequenceCounter]] = field(default_factory=dict)
    find_drawing: Callable[[Sequence[Path]], Callable[[Sequence[Path], Path], None] | None] | None = None
    list_checks: Callable[[], Iterable[tuple[str, Callable[[], str]]]] = tuple


@cache
def find_wings() -> tuple[Wing, ...]:
    """Find all wings, in the order of their folders."""
    files = sorted([*_TOOLS.glob("*/wing.py"), *_TOOLS.glob("*/*/wing.py")])
    names = (".".join(("gammond.tools", *file.relative_to(_TOOLS).with_suffix("").parts)) for file in files)
    return tuple(import_module(name).WING for name in names)
