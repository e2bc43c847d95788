"""Expert moves to learn from in tests: those of a net, or of pubeval, on positions of random games."""

import numpy as np

from gammond.engine.rules.position import Phase, classify_phases
from gammond.nets.heritage.gengammon.net import GengammonNet, GengammonPlayer
from gammond.nets.players.pubeval import PubevalPlayer
from gammond.tools.heritage.gengammon.agreement import ExpertRankings, pack_moves
from gammond.tools.heritage.gengammon.expert_moves.dataset import ExpertMoves, list_candidates
from tests.support import boards


def expert_moves(count: int, seed: int, expert=None, matches: int = 10) -> ExpertMoves:
    """Make an expert, by default pubeval, choose plays of random rolls in positions with contact."""
    found = boards.random_boards(3 * count, seed=seed)
    found = found[classify_phases(found) < Phase.RACE][:count]
    dice = boards.random_rolls(len(found), seed=seed + 1)
    chosen = (expert or PubevalPlayer()).choose(found, dice)
    of_match = np.arange(len(found)) % matches
    return ExpertMoves(
        boards=found,
        dice=dice,
        chosen=chosen,
        matches=np.sort(of_match).astype(np.int32),
        games=np.ones(len(found), np.int16),
        players=np.zeros(len(found), np.int32),
        match_names=tuple(f"match {number}" for number in range(matches)),
        player_names=("expert",),
    )


def packed(count: int, seed: int, expert=None):
    """The same, packed."""
    moves = expert_moves(count, seed, expert)
    return pack_moves(moves.boards, list_candidates(moves))


def random_net(seed: int, activation: str = "softsign", spread: float = 0.3) -> GengammonNet:
    """A net of random weights."""
    weights = np.random.default_rng(seed).normal(0.0, spread, (26, 52))
    return GengammonNet(weights.astype(np.float32), activation)


def random_player(seed: int, activation: str = "softsign") -> GengammonPlayer:
    """Return the player of the net."""
    return GengammonPlayer("teacher", random_net(seed, activation))


def rank_by_ratings(ratings, offsets, chosen) -> ExpertRankings:
    """Rank the experts' choices by the ratings of all plays; the naive twin of `rank_by_net`.

    Args:
        ratings: ``float[..., m]``, higher is better for the side that has played.
        offsets: ``int64[n + 1]``: the plays of expert move i are ``offsets[i]:offsets[i + 1]``.
        chosen: ``int64[n]``: where in ``m`` the experts' plays are.
    """
    counts = np.diff(offsets)
    rating = ratings[..., chosen]
    of_expert = np.repeat(rating, counts, axis=-1)
    starts = offsets[:-1]
    return ExpertRankings(
        candidates=counts,
        above=np.add.reduceat(ratings > of_expert, starts, axis=-1, dtype=np.int64),
        equal=np.add.reduceat(ratings == of_expert, starts, axis=-1, dtype=np.int64) - 1,
        rating=rating,
        lowest=np.minimum.reduceat(ratings, starts, axis=-1),
        highest=np.maximum.reduceat(ratings, starts, axis=-1),
    )
