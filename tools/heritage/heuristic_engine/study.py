"""``gammond heritage climb-study``: how often the acceptance rules err.

Plays no games: it draws the results of many changes whose true win share is known, and applies each rule. The
results are pairs of games: both won, split, or both lost. Games with the same dice split more often than
others, the more so the less the change alters play: --split sets how often ('log.jsonl' of a climb with
paired dice has the share for each change).
"""

from __future__ import annotations

import sys
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.statistics import ValueWithError
from gammond.tools.common.command_options import ToolCommand
from gammond.tools.heritage.heuristic_engine.trials import AcceptanceRule, FixedRule, SequentialRule
from gammond.tools.tournament.statistics.sprt import PAIRS_BETWEEN_LOOKS, SequentialTest
from gammond.tools.train.runs.settings import SettingOptions

SUMMARY = "measure how often the rules of climb keep changes that are no improvement, and miss improvements"

_PERCENT = 100
_PAIR_RESULTS = np.array([-0.5, 0.0, 0.5])
"""Shares of a pair that is lost, split and won, above one half."""

_BATCH_CHANGES = 5000
"""Changes drawn at a time."""


class ClimbStudySettings(msgspec.Struct, frozen=True):
    """All that decides the result."""

    experiments: Annotated[int, Meta(ge=1, description="changes drawn for each true worth")] = 10_000
    worths: Annotated[
        tuple[float, ...], Meta(description="true worths of changes, in % of games won above half")
    ] = (-1.0, 0.0, 0.5, 1.0, 2.0)
    games: Annotated[int, Meta(ge=2, description="games of the fixed rules")] = 3000
    share: Annotated[float, Meta(ge=0, le=1, description="share of them that a kept change exceeds")] = 0.51
    low: Annotated[float, Meta(description="Elo at which the test does not keep a change")] = 0.0
    high: Annotated[float, Meta(description="Elo at which it does; 7 is 51 % of games")] = 7.0
    alpha: Annotated[float, Meta(description="how often one that is worth LOW may be kept")] = 0.05
    beta: Annotated[float, Meta(description="how often one that is worth HIGH may be missed")] = 0.05
    most_games: Annotated[
        int, Meta(ge=1000, description="games after which the test does not keep a change")
    ] = 40_000
    split: Annotated[
        float, Meta(ge=0.5, lt=1, description="share of pairs with the same dice that each side wins once")
    ] = 0.7
    seed: Annotated[int, Meta(ge=0, description="seed of the draws")] = 1


class ClimbStudyOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What is drawn."""

    settings: SettingOptions[ClimbStudySettings]


def run(options: ClimbStudyOptions) -> int:
    """Draw and report; return the exit status.

    Raises:
        GammondError: An option is invalid.
    """
    sys.stdout.write(tabulate_rules(options.settings.make()))
    return 0


def tabulate_rules(settings: ClimbStudySettings) -> str:
    """Apply all rules to changes of each worth, and return a table.

    Raises:
        ValueRangeError: A worth and the share of split pairs do not go together, a number of games is odd,
            or the bounds of the test are not in order.
    """
    test = SequentialTest(settings.low, settings.high, alpha=settings.alpha, beta=settings.beta)
    rules: dict[str, AcceptanceRule] = {
        "fixed": FixedRule(settings.games, settings.share),
        "paired": FixedRule(settings.games, settings.share, has_pairs=True),
        "sprt": SequentialRule(test, settings.most_games),
    }
    lines = [
        f"fixed: {settings.games:,} games with dice of their own, kept above {_PERCENT * settings.share:g} %",
        f"paired: the same in pairs with the same dice, {_PERCENT * settings.split:g} % of them split",
        f"sprt: paired games, {test.name}, alpha {test.alpha:g}, beta {test.beta:g}, "
        f"at most {settings.most_games:,}",
        f"{settings.experiments:,} changes for each line; kept, in %, and games for a decision",
        f"{'won in truth, %':>16}" + "".join(f"{name:>16}{'games':>9}" for name in rules),
    ]
    for worth in settings.worths:
        rates = [simulate_rule(rule, worth / _PERCENT, settings) for rule in rules.values()]
        shares = [f"{ValueWithError(share, error).scale(_PERCENT):.2f}" for share, error, _ in rates]
        cells = (f"{share:>16}{games:>9,.0f}" for share, (*_, games) in zip(shares, rates, strict=True))
        lines.append(f"{_PERCENT / 2 + worth:>16.2f}" + "".join(cells))
    return "\n".join(lines) + "\n"


def simulate_rule(
    rule: AcceptanceRule, worth: float, settings: ClimbStudySettings
) -> tuple[float, float, float]:
    """Apply a rule to many changes.

    Args:
        rule: The rule.
        worth: The share of games that each change wins, minus one half.
        settings: Number of changes, and the share of split pairs.

    Returns:
        The share of the changes that it keeps, 0 to 1, with its standard error; and the mean number of games
        for a decision.

    Raises:
        ValueRangeError: Such a worth is impossible with so many split pairs.
    """
    chances = _compute_pair_chances(0.5 + worth, settings.split if rule.has_pairs else None)
    generator = np.random.Generator(np.random.PCG64([settings.seed, rule.has_pairs, rule.most_games]))
    kept, games = [], []
    for start in range(0, settings.experiments, _BATCH_CHANGES):
        count = min(_BATCH_CHANGES, settings.experiments - start)
        if isinstance(rule, FixedRule):
            accepted, taken = _simulate_fixed_rule(rule, chances, count, generator)
        else:
            accepted, taken = _simulate_sequential_rule(rule, chances, count, generator)
        kept.append(accepted)
        games.append(taken)
    share = float(np.concatenate(kept).mean())
    error = float(np.sqrt(share * (1 - share) / settings.experiments))
    return share, error, float(np.concatenate(games).mean())


_Decisions = tuple[NDArray[np.bool_], NDArray[np.int64]]
"""Which changes are kept, and after how many games each."""


def _simulate_fixed_rule(
    rule: FixedRule, chances: NDArray[np.float64], count: int, generator: np.random.Generator
) -> _Decisions:
    pairs = generator.multinomial(rule.most_games // 2, chances, count)
    wins = 2 * pairs[:, 2] + pairs[:, 1]
    return wins > rule.share * rule.most_games, np.full(count, rule.most_games)


def _simulate_sequential_rule(
    rule: SequentialRule, chances: NDArray[np.float64], count: int, generator: np.random.Generator
) -> _Decisions:
    looks = rule.most_games // (2 * PAIRS_BETWEEN_LOOKS)
    drawn = generator.multinomial(PAIRS_BETWEEN_LOOKS, chances, (count, looks)).cumsum(axis=1)
    rejects, accepts = rule.test.llr_bounds
    kept, taken = np.zeros(count, np.bool_), np.full(count, rule.most_games)
    open_changes = np.arange(count)
    for look in range(looks):
        ratios = rule.test.compute_llrs(drawn[open_changes, look], _PAIR_RESULTS)
        is_over = (ratios <= rejects) | (ratios >= accepts)
        kept[open_changes] = ratios >= accepts
        taken[open_changes[is_over]] = 2 * PAIRS_BETWEEN_LOOKS * (look + 1)
        open_changes = open_changes[~is_over]
    return kept, taken


def _compute_pair_chances(share: float, split: float | None) -> NDArray[np.float64]:
    """Return the probabilities that a pair is lost, split and won, ``float64[3]``, given the share of wins.

    Pairs that split have a share of their own unless games have their own dice.
    """
    if split is None:
        chances = np.array([(1 - share) ** 2, 2 * share * (1 - share), share**2])
    else:
        chances = np.array([1 - share - split / 2, split, share - split / 2])
    if not (chances >= 0).all():
        raise ValueRangeError(
            f"a change cannot win {_PERCENT * share:g} % of games if {_PERCENT * (split or 0):g} % of the "
            "pairs split: lower --split or the worth",
            field="worths",
        )
    return chances


COMMAND = ToolCommand(ClimbStudyOptions, run)
