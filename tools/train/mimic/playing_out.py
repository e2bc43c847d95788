"""Data without experts: a net plays itself, and of all plays of a roll the best is found by playing them out.

*Source:* the description of the GenGammon project, "Future possibilities" (`docs/history/1-gengammon.md`).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from engine.endings import HOME_BOUND, PIPS_PER_ROLL
from engine.evaluator import first_highest
from engine.games import GameResults, paired_dice
from engine.moves import expand_rolls
from engine.position import Board, Phase, Position, phases
from nets.gengammon import ACTIVATIONS, GengammonNet, GengammonPlayer
from tools.train.kernels.mimic_playouts import play_out
from tools.train.mimic.examples import Candidates

MOST_TURNS = 300
"""Longer games are measured where they stand: nets that know nothing may shuffle for ever."""

_GAMES = 64
_TAKEN = 0.125
_TASK_MOVES = 16


def own_positions(
    net: GengammonNet, count: int, generator: np.random.Generator
) -> tuple[Board, NDArray[np.int8]]:
    """Take positions with contact, and rolls that leave a choice, from games of a net against itself.

    Args:
        net: Plays both sides.
        count: How many.
        generator: Of the dice, and of which positions are taken.

    Returns:
        ``int8[count, 2, 26]`` and ``int8[count, 2]``.
    """
    player = GengammonPlayer("itself", net)
    start = Position.start().board
    boards: Board = np.repeat(start[None], _GAMES, axis=0)
    turns = np.zeros(_GAMES, np.int64)
    positions: list[Board] = []
    rolls: list[NDArray[np.int8]] = []
    taken = 0
    while taken < count:
        dice = generator.integers(1, 7, (_GAMES, 2)).astype(np.int8)
        plays = np.diff(expand_rolls(boards, dice)[2])
        rows = np.flatnonzero((plays > 1) & (generator.random(_GAMES) < _TAKEN))
        positions.append(boards[rows])
        rolls.append(dice[rows])
        taken += len(rows)
        boards = player.choose(boards, dice)
        turns += 1
        ended = (phases(boards) >= Phase.RACE) | (turns >= MOST_TURNS)
        boards[ended], turns[ended] = start, 0
    return np.concatenate(positions)[:count], np.concatenate(rolls)[:count]


def played_out(
    net: GengammonNet, boards: Board, dice: NDArray[np.int8], trials: int, seed: int, threads: int
) -> Candidates:
    """Find the play of each roll after which the net leads by most when it plays on against itself.

    Games end when the sides have passed each other, and count as `engine.endings.HomeBound` counts them. All
    plays of a roll are played out with the same dice.

    Args:
        net: Plays both sides.
        boards: ``int8[n, 2, 26]``.
        dice: ``int8[n, 2]``.
        trials: Games for each play.
        seed: Of the dice.
        threads: How many work on it; the result is the same.

    Returns:
        All plays, the best as the chosen ones.
    """
    children, _, offsets = expand_rolls(boards, dice)
    leads = np.empty(len(children), np.float64)
    of_move = np.random.default_rng(seed).integers(0, 2**64, len(boards), dtype=np.uint64)
    seeds = np.repeat(of_move, np.diff(offsets))
    lanes, activation = net.lanes, ACTIVATIONS[net.activation]

    def play(first: int) -> None:
        begin, end = offsets[first], offsets[min(first + _TASK_MOVES, len(boards))]
        play_out(
            children[begin:end],
            seeds[begin:end],
            lanes,
            activation,
            trials,
            MOST_TURNS,
            PIPS_PER_ROLL,
            leads[begin:end],
        )

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(play, range(0, len(boards), _TASK_MOVES)))
    return Candidates(children, offsets, first_highest(leads.astype(np.float32), offsets))


def lead_over(net: GengammonNet, other: GengammonNet, games: int, seed: int) -> tuple[float, float]:
    """Measure by how many pips per game a net is ahead of another one when the sides have passed each other.

    Args:
        net: The one whose lead it is.
        other: The other one.
        games: How many, in pairs with the same dice.
        seed: Of the dice.

    Returns:
        The mean lead, and its standard error. Games of more than `MOST_TURNS` count where they stand.
    """
    players = GengammonPlayer("net", net), GengammonPlayer("other", other)
    boards: Board = np.repeat(Position.start().board[None], games, axis=0)
    leads = np.zeros(games, HOME_BOUND.dtype)
    going = np.arange(games)
    for turn in range(MOST_TURNS):
        dice = paired_dice(seed, going // 2, np.full(len(going), turn))
        seats = (going + turn) % 2
        for seat, player in enumerate(players):
            if (moving := going[seats == seat]).size:
                boards[moving] = player.choose(boards[moving], dice[seats == seat])
        counted = HOME_BOUND.counted(boards[going])
        leads[going] = np.where(seats == 0, counted, -counted)
        going = going[~HOME_BOUND.reached(boards[going])]
        if not going.size:
            break
    results = GameResults(leads)
    return results.points_per_game, results.standard_error
