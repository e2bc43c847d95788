"""A user's program type-checks against gammond as installed from its wheel, without the internal packages."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("hatchling")
pytest.importorskip("mypy")

from tests.packaging.environments import Environment

pytestmark = pytest.mark.slow

PROGRAM = """
import asyncio
import threading
from concurrent.futures import Future
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import gammond
from gammond import AsyncClient, Client, Engine, GammondError, MatchState, Position


def show(done: int) -> None:
    print(done)


engine = Engine()
start = Position.start()
position, match = gammond.parse("4HPwATDgc/ABMA")
assert_type(gammond.__version__, str)
assert_type(position, Position)
assert_type(match, MatchState | None)
assert_type(start.id, str)
assert_type(start.pips, tuple[int, int])
assert_type(start.board, NDArray[np.int8])
assert_type(start.legal_plays((3, 1)), list[gammond.Play])
assert_type(start.play("8/5 6/5"), Position)
assert_type(MatchState(length=5).id, str)

value = engine.evaluate(start, plies=1)
assert_type(value, gammond.Evaluation)
assert_type(value.equity, float)
assert_type(value.mwc, float | None)
assert_type(value.outcome.win, float)
many = engine.evaluate_many([start, position])
assert_type(many.outcomes, NDArray[np.float32])
assert_type(many.equities, NDArray[np.float64])
ranked = engine.rank(start, (3, 1), match)
assert_type(ranked.best.play.text, str)
assert_type(ranked.best.loss, float | None)
assert_type(ranked[0], gammond.PlayEvaluation)
for each in ranked:
    assert_type(each, gammond.PlayEvaluation)
decision = engine.cube(start)
assert_type(decision.should_double, bool)
assert_type(decision.double_take, float | None)
rolled = engine.rollout(start, kind="cube", trials=36, progress=show, cancel=threading.Event())
assert_type(rolled.plays, tuple[gammond.PlayRollout, ...])
assert_type(rolled.trials, int)

with Client.spawn() as client:
    assert_type(client.rank(start, (3, 1)).best.play, gammond.Play)
    assert_type(client.evaluate_later(start), Future[gammond.Evaluation])
    assert_type(client.command("eval"), list[str])


async def ask() -> None:
    async with await AsyncClient.connect(port=4321) as asked:
        plays, cube = await asyncio.gather(asked.rank(start, (3, 1)), asked.cube(start))
        assert_type(plays, gammond.RankedPlays)
        assert_type(cube, gammond.CubeDecision)


try:
    start.play("24/1")
except gammond.PlayError as error:
    assert_type(error.message, str)
    assert_type(error.field, str | None)
    assert isinstance(error, GammondError)
"""

MISTAKES = {
    "gammond.Nothing": 'Module has no attribute "Nothing"',
    "gammond.Engine().rank(gammond.Position.start(), '31')": 'expected "tuple[int, int]"',
    "gammond.Engine().evaluate(gammond.Position.start()).equities": 'has no attribute "equities"',
    "gammond.Engine().rollout(gammond.Position.start(), kind='moves')": "['plays', 'position', 'cube']",
    "import engine": "Cannot find implementation or library stub",
}
"""Lines of a program, and the type checker's messages about them."""


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    environment = Environment(tmp_path_factory.mktemp("typing"))
    environment.install(wheel)
    return environment


def check(environment, program):
    """Run ``mypy --strict`` on a user's program; return its output."""
    file = environment.cwd / "program.py"
    file.write_text(program)
    options = ["--strict", "--config-file=", f"--python-executable={environment.python}", "--cache-dir=cache"]
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", *options, file.name],
        cwd=environment.cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode in (0, 1), ran.stderr + ran.stdout
    return ran.stdout


def test_a_program_that_uses_the_api_passes_strict_checks(environment):
    assert check(environment, PROGRAM).startswith("Success")


def test_mistakes_are_found(environment):
    program = "import gammond\n" + "".join(f"{line}\n" for line in MISTAKES)
    lines = check(environment, program).splitlines()
    for number, message in enumerate(MISTAKES.values(), 2):
        assert any(line.startswith(f"program.py:{number}: error: ") and message in line for line in lines), (
            lines
        )
