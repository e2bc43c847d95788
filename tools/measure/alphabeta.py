"""`gammond measure alphabeta`: what iterative deepening and the transposition table save in Barca.

Each position is from a game of the level easy against itself, of random length. The same depth is searched
with both, with either, and with neither; all must find the same value.

It also counts the animals for which a move changes what they reach or fear: a program that keeps both from
move to move has to look at these again, one that begins anew looks at the six of the side to move.
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import asdict, dataclass
from typing import Annotated

from msgspec import Struct

from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.kernels.moves import ANIMALS
from gammond.engine.barca.moves import apply_move, find_frightening, find_reach
from gammond.engine.barca.player import MAX_SEED, make_player
from gammond.engine.barca.position import BarcaPosition
from gammond.engine.barca.search import DEFAULT_MEGABYTES, SearchLimits, SearchMemory, search
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.runtime.version import read_version
from gammond.tools.common.command_options import Json, ToolCommand, option
from gammond.tools.common.progress import Progress
from gammond.tools.common.reports import format_json_report

SUMMARY = "measure what iterative deepening and a transposition table save in Barca"

MAX_MEASURED_DEPTH = 8
MAX_POSITIONS = 10_000

_LONGEST_GAME = 40

_WAYS = {
    "alpha-beta": (0, False),
    "depth by depth": (0, True),
    "with a table": (DEFAULT_MEGABYTES, False),
    "depth by depth, with a table": (DEFAULT_MEGABYTES, True),
}
"""Way of search: size of the table, and whether smaller depths are searched before."""


@dataclass(frozen=True)
class AlphaBetaStats:
    """The measurements of a way of search.

    Attributes:
        name: Of the way.
        nodes: Positions reached per search.
        share: `nodes` as a share of those of plain alpha-beta.
        processor_ms: CPU time per search.
        same_value: Searches with the value that plain alpha-beta found.
    """

    name: str
    nodes: float
    share: float
    processor_ms: float
    same_value: int


class AlphabetaOptions(Struct, frozen=True, kw_only=True):
    """How many positions are searched, and how deep."""

    plies: Annotated[int, option("plies of search", "N", ge=1, le=MAX_MEASURED_DEPTH)] = 5
    positions: Annotated[int, option("positions", "N", ge=1, le=MAX_POSITIONS)] = 40
    seed: Annotated[int, option("seed of the games", "N", ge=0, le=MAX_SEED - MAX_POSITIONS)] = 1
    json: Json = False


def run(options: AlphabetaOptions) -> int:
    """Measure and report.

    Returns:
        0, or 1 where two ways did not find the same value.

    Raises:
        ValueRangeError: A number is out of range.
    """
    games = draw_games(options.positions, options.seed)
    rows, changed = compare_ways(games, options.plies), count_changed_animals(games)
    if options.json:
        report = {"depth": options.plies, "seed": options.seed}
        rows_json = [asdict(row) for row in rows]
        report |= {"positions": options.positions, "changed_animals": round(changed, 2), "rows": rows_json}
        sys.stdout.write(format_json_report(**report))
    else:
        head = f"gammond {read_version()}, Barca, depth {options.plies}, seed {options.seed}: "
        sys.stdout.write(f"{head}{options.positions:,} positions\n{_format_table(rows)}")
        sys.stdout.write(f"a move changes what {changed:.1f} of {2 * ANIMALS} animals reach or fear\n")
    return EXIT_OK if all(row.same_value == options.positions for row in rows) else EXIT_FAULTS


def draw_games(count: int, seed: int) -> list[BarcaGame]:
    """Play games of the level easy against itself, each for a random number of moves, and not to its end."""
    games = []
    for number in range(seed, seed + count):
        player, game = make_player(f"easy:seed={number}"), BarcaGame.start()
        for _ in range(random.Random(number).randrange(_LONGEST_GAME)):
            after = game.play(player.choose(game))
            if after.result is not None:
                break
            game = after
        games.append(game)
    return games


def compare_ways(games: list[BarcaGame], depth: int) -> list[AlphaBetaStats]:
    """Search all positions in each way, and compare the values with those of plain alpha-beta."""
    rows: list[AlphaBetaStats] = []
    reference: list[int] = []
    with Progress(len(_WAYS) * len(games), "searches") as bar:
        for number, (name, (megabytes, is_deepening)) in enumerate(_WAYS.items()):
            memory, limits = SearchMemory(megabytes), SearchLimits(depth, is_deepening=is_deepening)
            nodes, scores, started_s = 0, [], time.process_time()
            for done, game in enumerate(games, 1):
                found = search(game, limits, memory=memory)
                nodes += found.nodes
                scores.append(found.score)
                bar.update(number * len(games) + done, name)
            spent_ms = 1000.0 * (time.process_time() - started_s)
            reference = reference or scores
            rows.append(
                AlphaBetaStats(
                    name=name,
                    nodes=round(nodes / len(games), 1),
                    share=round(nodes / len(games) / (rows[0].nodes if rows else nodes / len(games)), 5),
                    processor_ms=round(spent_ms / len(games), 3),
                    same_value=sum(mine == theirs for mine, theirs in zip(scores, reference, strict=True)),
                )
            )
    return rows


def count_changed_animals(games: list[BarcaGame]) -> float:
    """Count the animals for which a legal move changes the squares that they reach or fear, on average."""
    changed = moves = 0
    for game in games:
        before = _list_reach(game.position)
        for move in game.legal_moves():
            after = _list_reach(apply_move(game.position, move))
            changed += sum(new != old for new, old in zip(after, before, strict=True))
            moves += 1
    return changed / moves


def _list_reach(position: BarcaPosition) -> list[object]:
    """Return where each animal is, what it reaches and fears, and whom it fears where it is."""
    return [
        (square, find_reach(position, animal), find_frightening(position, animal, square))
        for animal, square in enumerate(position.squares.tolist())
    ]


def _format_table(rows: list[AlphaBetaStats]) -> str:
    width = max(len(row.name) for row in rows)
    lines = [f"{'':<{width}}  {'nodes':>12}  {'share':>7}  {'cpu ms':>9}  same value"]
    lines += [
        f"{row.name:<{width}}  {row.nodes:12,.0f}  {row.share:7.2%}  {row.processor_ms:9.1f}  "
        f"{row.same_value:10,}"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


COMMAND = ToolCommand(AlphabetaOptions, run)
