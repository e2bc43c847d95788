"""Data without experts: a net plays itself, and finds the best play of each roll by playing all of them out.

*Source:* "Future possibilities" in the description of the GenGammon project
(`docs/lab/history/1-gengammon.md`).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from gammond.engine.evaluation.evaluator import find_first_highest
from gammond.engine.play.lockstep import HOME_BOUND, PIPS_PER_ROLL
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.rules.dice import draw_paired_dice
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Board, Phase, classify_phases
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.statistics import ValueWithError
from gammond.nets.heritage.gengammon.net import ACTIVATIONS, GengammonNet, GengammonPlayer
from gammond.tools.heritage.gengammon.expert_moves.dataset import CandidatePlays
from gammond.tools.heritage.gengammon.kernels.playouts import play_out

MAX_TURNS = 300
"""Longer games are scored as they are: untrained nets may shuffle for ever."""

_GAMES = 64
_SAMPLED_SHARE = 0.125
_TASK_MOVES = 16


def sample_own_positions(
    net: GengammonNet, count: int, generator: np.random.Generator
) -> tuple[Board, NDArray[np.int8]]:
    """Sample positions with contact, and rolls that leave a choice, from games of a net against itself.

    Args:
        net: Plays both sides.
        count: Number of positions.
        generator: Draws the dice and the positions.

    Returns:
        ``int8[count, 2, 26]`` and ``int8[count, 2]``.
    """
    player = GengammonPlayer("itself", net)
    start = STANDARD_RULES.starting_position.board
    boards: Board = np.repeat(start[None], _GAMES, axis=0)
    turns = np.zeros(_GAMES, np.int64)
    positions: list[Board] = []
    rolls: list[NDArray[np.int8]] = []
    taken = 0
    while taken < count:
        dice = generator.integers(1, 7, (_GAMES, 2)).astype(np.int8)
        plays = np.diff(expand_rolls(boards, dice)[2])
        rows = np.flatnonzero((plays > 1) & (generator.random(_GAMES) < _SAMPLED_SHARE))
        positions.append(boards[rows])
        rolls.append(dice[rows])
        taken += len(rows)
        boards = player.choose(boards, dice)
        turns += 1
        ended = (classify_phases(boards) >= Phase.RACE) | (turns >= MAX_TURNS)
        boards[ended], turns[ended] = start, 0
    return np.concatenate(positions)[:count], np.concatenate(rolls)[:count]


def find_best_by_playouts(
    net: GengammonNet, boards: Board, dice: NDArray[np.int8], trials: int, seed: int, threads: int
) -> CandidatePlays:
    """Find the play of each roll after which the net leads by the most when it plays on against itself.

    Games end when the sides have passed each other, and score as in `HOME_BOUND`. All plays of a roll are
    played out with the same dice.

    Args:
        net: Plays both sides.
        boards: ``int8[n, 2, 26]``.
        dice: ``int8[n, 2]``.
        trials: Games for each play.
        seed: Of the dice.
        threads: Number of threads; the result is the same.

    Returns:
        All plays, with the best as the chosen ones.
    """
    children, _, offsets = expand_rolls(boards, dice)
    leads = np.empty(len(children), np.float64)
    of_move = np.random.default_rng(seed).integers(0, 2**64, len(boards), dtype=np.uint64)
    seeds = np.repeat(of_move, np.diff(offsets))
    lanes, activation = net.padded_weights, ACTIVATIONS[net.activation]

    def play(first: int) -> None:
        begin, end = offsets[first], offsets[min(first + _TASK_MOVES, len(boards))]
        play_out(
            children[begin:end],
            seeds[begin:end],
            lanes,
            activation,
            trials,
            MAX_TURNS,
            PIPS_PER_ROLL,
            leads[begin:end],
        )

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(play, range(0, len(boards), _TASK_MOVES)))
    return CandidatePlays(children, offsets, find_first_highest(leads.astype(np.float32), offsets))


def measure_lead(net: GengammonNet, other: GengammonNet, games: int, seed: int) -> ValueWithError:
    """Measure a net's mean lead over another one, in pips, when the sides have passed each other.

    Args:
        net: The net whose lead is measured.
        other: The other net.
        games: Number of games, in pairs with the same dice.
        seed: Of the dice.

    Returns:
        The mean lead. Games of more than `MAX_TURNS` are scored as they are.
    """
    players = GengammonPlayer("net", net), GengammonPlayer("other", other)
    boards: Board = np.repeat(STANDARD_RULES.starting_position.board[None], games, axis=0)
    leads = np.zeros(games, HOME_BOUND.dtype)
    going = np.arange(games)
    for turn in range(MAX_TURNS):
        dice = draw_paired_dice(seed, going // 2, np.full(len(going), turn))
        seats = (going + turn) % 2
        for seat, player in enumerate(players):
            if (moving := going[seats == seat]).size:
                boards[moving] = player.choose(boards[moving], dice[seats == seat])
        counted = HOME_BOUND.score_games(boards[going])
        leads[going] = np.where(seats == 0, counted, -counted)
        going = going[~HOME_BOUND.is_reached(boards[going])]
        if not going.size:
            break
    return PairedScores(leads.astype(np.float64), np.sign(leads).astype(np.int8)).score
