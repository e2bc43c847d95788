"""The trainers, and the commands that fill a folder with shards, with settings of a few seconds."""

import re
from dataclasses import dataclass, replace
from importlib import import_module

import pytest

from gammond.engine.errors import GammondError
from gammond.tools import cli
from gammond.tools.heritage import command as heritage
from gammond.tools.train import command as train
from gammond.tools.train.cube_decisions.build_set import CubeSetSettings
from gammond.tools.train.labels.command import LabelSettings
from gammond.tools.train.validation.build_set import ValidationSettings
from tests.support.commands import run_tool

SHARDS = {
    "labels.label_tasks.SHARD_POSITIONS": 64,
    "validation.rollout_tasks.SHARD_POSITIONS": 3,
    "cube_decisions.rollout_tasks.SHARD_DECISIONS": 2,
}
"""Sizes of shards, of which some hundred positions make several."""

SETS = {
    "train label": LabelSettings,
    "train validation-set": ValidationSettings,
    "train cube-set": CubeSetSettings,
}
"""Commands that fill a folder with shards and are no trainers, and their settings."""


@dataclass(frozen=True)
class Case:
    """A run of a few seconds that comes to several checkpoints or shards.

    Attributes:
        command: Its command.
        length: The setting that makes it longer; empty for a set that is as large as it is.
        most: How long it is.
        options: Its other settings.
        resources: What decides nothing; given to a run that goes on too.
    """

    command: str
    length: str
    most: int
    options: str
    resources: str = "--threads 1"

    def __str__(self) -> str:
        """Return its command, and the method where it has several."""
        method = re.search("--(?:method|teacher|test|inputs) ([a-z]+)", self.options)
        return " ".join([self.command, *(method.groups() if method else ())])

    @property
    def module(self):
        """The module of the command."""
        return import_module({**train.COMMANDS, **heritage.COMMANDS}[self.command.split()[1]])

    @property
    def trainer(self):
        """The trainer; None for a set."""
        return getattr(self.module, "TRAINER", None)

    @property
    def settings_type(self):
        """The settings of the command."""
        return self.trainer.settings_type if self.trainer else SETS[self.command]

    def begin(self, folder, *more) -> int:
        """Begin the run; return the exit status."""
        length = [f"--{self.length}", str(self.most)] if self.length else []
        return self.run(folder, *length, *self.options.split(), *more)

    def resume(self, folder, *more) -> int:
        """Go on with the run; return the exit status."""
        return self.run(folder, "--resume", *more)

    def run(self, folder, *options) -> int:
        """Run the command; return the exit status."""
        return cli.main([*self.command.split(), str(folder), *options, *self.resources.split()])

    def refuse(self, folder, *options) -> GammondError:
        """Begin the run with options that cannot be; return the error, before which nothing was written."""
        with pytest.raises(GammondError) as caught:
            run_tool(self.module, folder, *self.options.split(), *self.resources.split(), *options)
        assert not folder.exists()
        return caught.value

    def with_material(self, folder):
        """Return the case with the folder of what it learns from in its options."""
        return replace(self, options=self.options.replace("MATERIAL", str(folder)))


FEW_GAMES = "--opponents pubeval,random --benchmark-games 4"
TD = f"--hidden 6 --race-hidden 4 --threads 1 --round-games 20 --checkpoint-every 20 {FEW_GAMES}"
FIT = "--hidden 6 --batch 32 --games 4 --opponents random --labels MATERIAL/labels"
REFINE = "--hidden 6 --positions 90 --sources selfplay --batch 32 --games 4 --opponents random"
CLASSIC = f"--hidden 6 --checkpoint-every 50 {FEW_GAMES}"
MIMIC = "--population 6 --moves MATERIAL/moves.npz --games 4 --opponents random"
CLIMB = "--games 20 --opponents random --benchmark-games 4 --measure-every 2"
PHASES = "--random-games 4 --epochs 2 --round-games 4 --round-epochs 1 --measure-every 2 --games 4"
ASCENT = "--games 4 --reference-games 4"
SET = "--net fast --trials 36"

CASES = [
    Case("train td", "games", 120, f"{TD} --backtrack 0.1 --backtrack-factor 0.7", "--keep-nets"),
    Case("train label", "positions", 150, "--net fast --sources selfplay=2,crashed"),
    Case("train fit", "epochs", 2, FIT),
    Case("train refine", "generations", 2, REFINE),
    Case("train barca-ascend", "steps", 2, ASCENT),
    Case("train barca-fit", "generations", 2, "--games 40 --window 2 --reference-games 4"),
    Case("train validation-set", "", 0, f"{SET} --classes contact=4,backgame=3 --truncate 6"),
    Case("train cube-set", "", 0, f"{SET} --classes race=3,bearoff=2"),
    Case("heritage classic", "games", 100, CLASSIC, ""),
    Case("heritage classic", "games", 100, f"{CLASSIC} --teacher watching --expert pubeval", ""),
    Case("heritage mimic", "generations", 6, f"{MIMIC} --validate-every 2"),
    Case("heritage mimic", "epochs", 3, f"{MIMIC} --method backprop"),
    Case(
        "heritage mimic",
        "rounds",
        2,
        f"{MIMIC} --method play --positions 20 --trials 1 --round-generations 2",
    ),
    Case("heritage climb", "trials", 4, CLIMB),
    Case("heritage climb", "trials", 2, f"{CLIMB} --test sprt --most-games 1000 --doubles two"),
    Case("heritage heuristic-net", "rounds", 3, f"{PHASES} --opponents phase-heuristic,pubeval", ""),
    Case("heritage heuristic-net", "rounds", 1, f"{PHASES} --opponents random --inputs plain", ""),
    Case("heritage ascend", "steps", 2, f"--player heuristic --length 0 --evaluation 0 {ASCENT}"),
]
MAY_BE_ZERO = {
    "train td": "trace benchmark_games backtrack",
    "train label": "plays trace trials truncate",
    "train fit": "average differences games window aside",
    "train refine": "average differences games plays trace trials truncate",
    "train barca-ascend": "length evaluation random_after",
    "train barca-fit": "",
    "train validation-set": "plies stop_error truncate",
    "train cube-set": "near plies stop_error trials",
    "heritage classic": "own_hidden trace benchmark_games follow_best backtrack",
    "heritage mimic": "learned elite mutation_share alternate_from sample games",
    "heritage climb": "share benchmark_games",
    "heritage heuristic-net": "epochs rounds games",
    "heritage ascend": "length evaluation random_after",
}
"""The numbers, beside seeds, that may be 0; all others are more, but bounds of a sequential test."""

QUICK = {"train label", "heritage mimic", "heritage mimic backprop"}
"""Cases of every day; the others take longer, and share with these all but their learners."""

FITTING = {"train fit", "train refine"}

TRAINERS = [case for case in CASES if case.trainer]
COMMANDS = list({case.command: case for case in reversed(CASES)}.values())
"""A case of each command."""


def for_each(cases, slow, training):
    """Run a test for each of some cases, and mark those that take long and those that fit nets."""
    given = [
        pytest.param(
            case, id=str(case), marks=[slow] * (str(case) not in QUICK) + [training] * (str(case) in FITTING)
        )
        for case in cases
    ]
    return pytest.mark.parametrize("case", given, indirect=True)
