"""Questions and entries for the tests of stores."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np

from gammond.engine.analysis.engine_store import make_question as ask
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.store.database import StoreDatabase
from gammond.engine.store.entries import EngineIdentity, StoreEntry, StoreQuestion

ROOT = Path(__file__).parents[3]

ENGINE = EngineIdentity("test", "a" * 64, "b" * 64, "1.0")
OTHER_NET = EngineIdentity("test", "c" * 64, "b" * 64, "1.0")


def make_question(number: int = 0, roll=None, **settings) -> StoreQuestion:
    """A question about the opening position, at a score of its own for each number below 4,000."""
    own, other = divmod(number, 64)
    match = MatchState(length=64, score=(own, other))
    return ask(STANDARD_RULES.starting_position, match, EvalSettings(**settings), roll)


def make_entry(plies: int = 2, seed: int = 1, rows: int = 1, columns: int = 8) -> StoreEntry:
    random = np.random.default_rng(seed)
    return StoreEntry(
        plies,
        random.random((rows, columns), np.float32),
        random.permutation(rows).astype(np.int64),
        np.full(rows, plies, np.int8),
        rows,
    )


def list_rows(file):
    """List the rows of a store's file."""
    database = StoreDatabase(file)
    try:
        return list(database.iterate())
    finally:
        database.close()


def start(module, code, *arguments):
    """Run a program with all the names of a module of tests, in another process."""
    program = f"import sys\nfrom pathlib import Path\nfrom {module} import *\n{textwrap.dedent(code)}"
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
