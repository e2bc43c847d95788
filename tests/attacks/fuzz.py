"""Mutated lines on a real server: each gets exactly one final line, under its tag, and none is a fault."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from gammond.tools.bench.load_client import is_error_line, is_final_line
from tests.attacks.mutations import (
    breaks_one_answer,
    ends_the_session,
    gets_an_answer,
    list_gnubg_lines,
    list_lines,
    mutate,
)
from tests.attacks.server import AttackError, Server, serve
from tests.attacks.trial import Attack, Trial, expect
from tests.attacks.wire import Client, is_fault_line, run_clients

LINES_OF_A_CLIENT = 250
"""Fewer than a client may have unanswered, so that ``stop`` is always read."""

_STOP_EVERY_S = 0.2
_GNUBG_LINES_OF_A_CLIENT = 60


@dataclass
class FuzzCount:
    """What came of mutated lines.

    Attributes:
        lines: Sent that deserve an answer.
        finals: Final lines that came, those of ``stop`` not counted.
        errors: How many of them say that the request failed.
    """

    lines: int = 0
    finals: int = 0
    errors: int = 0


async def fuzz_one_client(
    server: Server, rng: random.Random, known: Sequence[bytes], count: FuzzCount
) -> None:
    """Send mutated lines of one client, half of them tagged, and check the answers.

    Raises:
        AttackError: A line has no final line or several, a tag is lost, or something is ``internal``.
    """
    sent: list[bytes] = [b"newgame", b"dice 3 1"]
    tags: list[str] = []
    while len(sent) < LINES_OF_A_CLIENT:
        line = mutate(rng.choice(known), known, rng)
        if ends_the_session(line):
            continue
        if rng.random() < 0.5 and gets_an_answer(line):
            tags.append(f"n{len(sent)}")
            line = f"@{tags[-1]} ".encode() + line
            if ends_the_session(line):
                tags.pop()
                continue
        sent.append(line)
    with _keep_lines_of_failure(sent):
        finals = await _send_and_check(server, sent, tags, rng)
    count.lines += len(finals)
    count.finals += len(finals)
    count.errors += sum(map(is_error_line, finals))


@contextmanager
def _keep_lines_of_failure(sent: Sequence[bytes]) -> Iterator[None]:
    """Name a file with the lines in the message if they break something."""
    try:
        yield
    except AttackError as error:
        with tempfile.NamedTemporaryFile(prefix="gammond-fuzz-", delete=False) as file:
            file.write(b"".join(line + b"\n" for line in sent))
        raise AttackError(f"{error}; the lines are in {file.name}") from error


async def _send_and_check(
    server: Server, sent: Sequence[bytes], tags: Sequence[str], rng: random.Random
) -> list[str]:
    """Send lines, and return their final lines, checked."""
    client = await Client.open(server.port)
    client.send_bytes(b"".join(line + rng.choice((b"\n", b"\r\n")) for line in sent))
    expected = sum(map(gets_an_answer, sent))
    stopper = asyncio.create_task(_stop_often(client))
    finals: list[str] = []
    try:
        while len(finals) < expected:
            line = await client.read_line()
            if is_final_line(line) and not line.startswith("@stop-"):
                finals.append(line)
    finally:
        stopper.cancel()
    client.half_close()
    rest = [line for line in await client.read_to_end() if is_final_line(line)]
    extra = [line for line in rest if not line.startswith("@stop-")]
    expect(not extra, f"{len(extra)} final lines too many: {extra[:2]}")
    _check_tags(finals, tags)
    faults = list(filter(is_fault_line, finals))
    expect(not faults, f"internal error: {faults[:1]}")
    return finals


async def _stop_often(client: Client) -> None:
    """Stop everything again and again: some of the lines ask for hours of work."""
    number = 0
    while True:
        await asyncio.sleep(_STOP_EVERY_S)
        number += 1
        client.send(f"@stop-{number} stop")


def _check_tags(finals: Sequence[str], tags: Sequence[str]) -> None:
    """Check that each tag that was sent has one final line."""
    found = Counter(line.partition(" ")[0][1:] for line in finals if line.startswith("@"))
    for tag in tags:
        expect(found[tag] == 1, f"{found[tag]} final lines have the tag @{tag}")


async def fuzz_one_board(
    server: Server, rng: random.Random, known: Sequence[bytes], count: FuzzCount
) -> None:
    """Send mutated lines to gnubg's port, and check that each has one line as its answer.

    Raises:
        AttackError: It has none, or several, or a fault.
    """
    sent: list[bytes] = []
    while len(sent) < _GNUBG_LINES_OF_A_CLIENT:
        line = mutate(rng.choice(known), known, rng)
        if not breaks_one_answer(line) and b"plies 3" not in line and b"plies 4" not in line:
            sent.append(line)
    with _keep_lines_of_failure(sent):
        client = await Client.open(server.port)
        client.send_bytes(b"".join(line + b"\n" for line in sent))
        client.half_close()
        answers = await client.read_to_end()
        expect(len(answers) == len(sent), f"{len(sent)} lines of gnubg's dialect have {len(answers)} answers")
        faults = [line for line in answers if "internal fault" in line]
        expect(not faults, f"fault in gnubg's dialect: {faults[:1]}")
    count.lines += len(sent)
    count.finals += len(answers)
    count.errors += sum(line.startswith("Error:") for line in answers)


def run_fuzz(trial: Trial, lines: int) -> str:
    """Send so many mutated lines, a sixth of them to gnubg's port; return figures."""
    with serve(trial.home) as server, serve(trial.home, dialect="--gnubg") as board_server:
        known, board_lines = list_lines(), list_gnubg_lines()
        count, first_mib, began_s = FuzzCount(), 0.0, time.monotonic()

        async def attack() -> None:
            nonlocal first_mib
            while count.lines < lines:
                await asyncio.gather(
                    fuzz_one_client(server, trial.rng, known, count),
                    fuzz_one_board(board_server, trial.rng, board_lines, count),
                )
                first_mib = first_mib or server.sample().rss_mib
                trial.note(f"{count.lines:,} of {lines:,} lines, RSS {server.sample().rss_mib:.0f} MiB")

        run_clients(attack())
        took_s = time.monotonic() - began_s
        last_mib = server.sample().rss_mib
    return (
        f"{count.lines:,} mutated lines, {count.finals:,} final lines, {count.errors:,} of them errors, none "
        f"internal; RSS {first_mib:.0f} to {last_mib:.0f} MiB; {count.lines / took_s:,.0f} lines/s"
    )


def fuzz(trial: Trial) -> str:
    """Mutated lines of all commands, of queries and of gnubg's dialect."""
    return run_fuzz(trial, trial.fuzz_lines or trial.dose(1_500, 50_000))


ATTACKS: Sequence[Attack] = (Attack("fuzz", "mutated lines of every command, query and dialect", fuzz),)
