"""What the clients of a soak do: each habit is one visit to the server, from its first line to its end."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.state.settings import SETTINGS
from gammond.tools.bench.load_client import is_error_line
from tests.attacks.positions import GNUBG_BOARD, OPENING, draw_roll
from tests.attacks.server import AttackError
from tests.attacks.trial import say
from tests.attacks.wire import Client, is_fault_line
from tests.protocol.mixed_lines import BAD_LINES, GOOD_LINES


@dataclass
class Tally:
    """What came of the lines of all clients.

    Attributes:
        visits: Connections that were opened.
        requests: Lines that were sent and answered.
        errors: Final lines among them that are errors, as bad lines deserve.
        faults: What should not have happened: internal errors and answers that did not come.
    """

    visits: int = 0
    requests: int = 0
    errors: int = 0
    faults: list[str] = field(default_factory=list)

    def report(self, fault: str) -> None:
        """Note what should not have happened, and say it at once."""
        self.faults.append(fault)
        say(f"soak: fault: {fault}")

    def count(self, finals: Sequence[str]) -> None:
        """Count answers."""
        self.requests += len(finals)
        self.errors += sum(map(is_error_line, finals))
        for line in filter(is_fault_line, finals):
            self.report(line)


@dataclass
class Visit:
    """One connection of a client with a habit.

    Attributes:
        client: The connection.
        rng: Draws what it does.
        positions: To ask about.
        tally: Counts the answers.
        pause_s: The mean time between two requests.
    """

    client: Client
    rng: random.Random
    positions: Sequence[str]
    tally: Tally
    pause_s: float

    async def ask(self, *lines: str) -> list[str]:
        """Pause as a person would, send lines and return their final lines."""
        await asyncio.sleep(self.rng.expovariate(1 / self.pause_s))
        self.client.send(*lines)
        finals = await self.client.read_finals(len(lines))
        self.tally.count(finals)
        return finals

    def set_position(self) -> str:
        """A line that sets some position."""
        return f"position gnubgid {self.rng.choice(self.positions)}"

    def set_dice(self) -> str:
        """A line that sets some dice."""
        return f"dice {draw_roll(self.rng)}"


Habit = Callable[[Visit], Awaitable[None]]


async def evaluate(visit: Visit) -> None:
    for _ in range(visit.rng.randint(10, 60)):
        depth = visit.rng.choice(["", "", "", " plies=1", " cubeful=false"])
        await visit.ask(visit.set_position(), f"eval{depth}")


async def rank_plays(visit: Visit) -> None:
    for _ in range(visit.rng.randint(5, 40)):
        request = visit.rng.choice(["moves", "moves 3", "moves 1 plies=1", "legal", "go chequer", "board"])
        await visit.ask(visit.set_position(), visit.set_dice(), request)


async def ask_about_the_cube(visit: Visit) -> None:
    await visit.ask(f"set game.length {visit.rng.choice([0, 0, 3, 7, 25])}")
    for _ in range(visit.rng.randint(5, 30)):
        request = visit.rng.choice(["cube", "take", "resign", "matrix away=4", "go cube", "cube plies=1"])
        await visit.ask(visit.set_position(), request)


async def play_a_match(visit: Visit) -> None:
    """Play both sides of a match to 3 as the protocol's page says."""
    ask, length = visit.ask, 3
    score = {"p0": 0, "p1": 0}
    await ask(f"set game.length {length}", f"set engine.seed {visit.rng.randrange(1 << 30)}")
    had_crawford = False
    while max(score.values()) < length:
        is_crawford = not had_crawford and max(score.values()) == length - 1
        had_crawford = had_crawford or is_crawford
        await ask(
            "newgame",
            f"set game.turn {visit.rng.choice(['p0', 'p1'])}",
            f"set game.crawford {'true' if is_crawford else 'false'}",
        )
        answer = await _play_a_game(visit)
        winner, points = re.findall(r"winner=(p\d).* points=(\d+)", answer)[0]
        score[winner] = min(length, score[winner] + int(points))
        if max(score.values()) < length:
            await ask(
                "set game.crawford false", *(f"set game.score_{seat} {have}" for seat, have in score.items())
            )


async def _play_a_game(visit: Visit) -> str:
    """Play a game to its end, and return the line that says who won."""
    answer = ""
    while "winner=" not in answer:
        (cube,) = await visit.ask("go cube")
        if cube == "bestcube double":
            _, response = await visit.ask("play double", "go take")
            (answer,) = await visit.ask(f"play {response.split()[1]}")
            if "winner=" in answer:
                break
        _, play = await visit.ask("roll", "go chequer")
        if not play.startswith("bestmove "):
            raise AttackError(f"no play in a match: {play!r}")
        (answer,) = await visit.ask(f"play {play.removeprefix('bestmove ')}")
        if answer.startswith("error"):
            raise AttackError(f"a match broke off: {answer!r}")
    return answer


async def roll_out(visit: Visit) -> None:
    for _ in range(visit.rng.randint(2, 6)):
        trials = visit.rng.choice([36, 72])
        what = visit.rng.choice(["moves", "position", "cube"])
        lines = [visit.set_position(), visit.set_dice()]
        await visit.ask(*lines, f"rollout {what} trials={trials} truncate=5 candidates=2")
        if visit.rng.random() < 0.4:
            await visit.ask(f"rollout continue trials={trials + 36}")
        if visit.rng.random() < 0.3:
            visit.client.send("rollout position trials=20000")
            await visit.ask("@s stop")
            visit.tally.count(await visit.client.read_finals(1))


async def send_queries(visit: Visit) -> None:
    for number in range(visit.rng.randint(5, 30)):
        query = {
            "id": number,
            "positions": visit.rng.sample(visit.positions, visit.rng.choice([1, 3, 20])),
            "dice": [visit.rng.randint(1, 6), visit.rng.randint(1, 6)],
            "want": visit.rng.choice([["eval"], ["eval", "moves"], ["eval", "cube"]]),
            "max_moves": 3,
            "plies": visit.rng.choice([0, 0, 0, 0, 1]),
        }
        await visit.ask(json.dumps(query))
    visit.client.send(json.dumps({"id": "long", "positions": [OPENING] * 20, "plies": 3}))
    await asyncio.sleep(visit.rng.random() / 4)
    visit.client.send('{"id":"long","action":"terminate"}')
    visit.tally.count(await visit.client.read_finals(2))


async def send_tagged_lines(visit: Visit) -> None:
    for _ in range(visit.rng.randint(3, 20)):
        lines = [f"@t{number} {visit.rng.choice(['eval', 'moves 1', 'cube'])}" for number in range(12)]
        await visit.ask(visit.set_position(), visit.set_dice(), *lines, "stop")


async def send_bad_lines(visit: Visit) -> None:
    for _ in range(visit.rng.randint(20, 80)):
        await visit.ask(visit.rng.choice(BAD_LINES if visit.rng.random() < 0.7 else GOOD_LINES))


async def look_ahead(visit: Visit) -> None:
    for _ in range(visit.rng.randint(2, 8)):
        await visit.ask(visit.set_position(), visit.set_dice())
        request = visit.rng.choice(["eval plies=2", "go movetime 50", "moves 2 plies=2", "cube plies=2"])
        visit.client.send(request)
        if visit.rng.random() < 0.5:
            await visit.ask("@s stop")
        visit.tally.count(await visit.client.read_finals(1))


async def ask_around(visit: Visit) -> None:
    """Ask for everything that the table has an example of, and change settings."""
    lines = [line for command in COMMANDS.values() for line in command.example if line != "quit"]
    for _ in range(visit.rng.randint(10, 50)):
        line = visit.rng.choice(lines)
        is_long = line.startswith(("rollout", "matrix"))
        await visit.ask("stats" if is_long else line, f"get {visit.rng.choice(list(SETTINGS))}", "undo")


async def break_off(visit: Visit) -> None:
    """Ask for much, and go before the answer."""
    for request in ("eval plies=4", "rollout position trials=50000", "legal", "matrix away=10 plies=1"):
        await visit.ask(visit.set_position(), visit.set_dice())
        if visit.rng.random() < 0.5:
            visit.client.send(request)
            await asyncio.sleep(visit.rng.random() / 2)
            break
    (visit.client.reset if visit.rng.random() < 0.5 else visit.client.close)()


async def read_slowly(visit: Visit) -> None:
    """Ask for long lists, and read them in sips."""
    visit.client.send(*[visit.set_position(), visit.set_dice(), "moves", "describe"] * 5, "stats")
    read = b""
    for _ in range(visit.rng.randint(20, 60)):
        await asyncio.sleep(visit.pause_s / 4)
        data = await visit.client.read(2000)
        if not data:
            raise AttackError("a slow reader was dropped")
        read += data
        if b"\nstats " in read and read.endswith(b"\n"):
            break


HABITS: tuple[Habit, ...] = (
    evaluate,
    rank_plays,
    ask_about_the_cube,
    play_a_match,
    roll_out,
    send_queries,
    send_tagged_lines,
    send_bad_lines,
    look_ahead,
    ask_around,
    break_off,
    read_slowly,
)
"""A dozen clients, each with one habit."""


_DOUBLED_BOARD = (
    "board:root:gnubg:3:0:0:0:-2:-1:-1:1:2:4:0:2:0:0:0:-3:4:1:0:0:-3:-1:-4:0:0:1:0:0:0"
    ":1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:1"
)


async def play_as_gnubg(visit: Visit) -> None:
    """Ask on gnubg's port as gnubg does, and as scripts do; each line has one line as its answer."""
    for _ in range(visit.rng.randint(10, 60)):
        await asyncio.sleep(visit.rng.expovariate(1 / visit.pause_s))
        board = GNUBG_BOARD.format(dice=visit.rng.choice(["0:0:0:0", "3:1:3:1", "6:6:6:6"]))
        line = visit.rng.choice(
            [board, board, _DOUBLED_BOARD, f"evaluation fibsboard {board} plies 1", "board:x", "nonsense"]
        )
        visit.client.send(line)
        answer = await visit.client.read_line()
        visit.tally.requests += 1
        visit.tally.errors += answer.startswith("Error:")
        if "internal fault" in answer:
            visit.tally.report(answer)


async def leave(visit: Visit, farewell: str) -> None:
    """End a visit in one of the ways in which clients go.

    Args:
        visit: The visit.
        farewell: The command that ends a session.
    """
    if visit.client.is_closed:
        return
    way = visit.rng.choice(["farewell", "half-close", "close", "reset"])
    if way == "farewell":
        visit.client.send(farewell)
        await visit.client.read_to_end()
    elif way == "half-close":
        visit.client.half_close()
        await visit.client.read_to_end()
    if way == "reset":
        visit.client.reset()
    else:
        visit.client.close()
