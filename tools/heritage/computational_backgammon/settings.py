"""Settings of ``gammond heritage classic``."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from gammond.engine.errors import UnsupportedError, ValueRangeError
from gammond.nets.heritage.computational_backgammon.net import NODE_COUNTS, SYMMETRIC
from gammond.tools.common.command_options import option
from gammond.tools.common.opponents import load_opponent
from gammond.tools.heritage.computational_backgammon.kernels.kinds import KINDS
from gammond.tools.train.runs.strength_games import (
    BacktrackOption,
    CheckpointGamesOption,
    OpponentsOption,
    check_backtrack,
    check_benchmark,
)
from gammond.tools.train.runs.trainer import RunSettings

SELF, AGAINST, TAUGHT, WATCHING = "self", "against", "taught", "watching"


class ClassicSettings(RunSettings, frozen=True):
    """All that decides the result of a run."""

    lengths: ClassVar = ("games",)

    games: Annotated[int, Meta(ge=1, description="games to learn from in all")] = 200_000
    hidden: Annotated[int, Meta(ge=1, le=4096, description="hidden units")] = 40
    own: Annotated[
        str,
        Meta(
            description="kinds of position with nets of their own, joined by +: race, bearoff, crashed, bar, "
            "closing, holding, containing, mutual; none, or all for nine nets"
        ),
    ] = "none"
    own_hidden: Annotated[
        int, Meta(ge=0, le=4096, description="hidden units of these nets; 0 for those of --hidden")
    ] = 0
    outputs: Annotated[int, Meta(description="1 win, 2 win and gammons, or 5 the whole outcome")] = 5
    layout: Annotated[
        Literal["normal", "symmetric"], Meta(description="normal, or symmetric: weights mirrored")
    ] = "normal"
    turn: Annotated[bool, option("whether symmetric nets have inputs for the turn", is_word=True)] = True
    gammon_weight: Annotated[
        Literal["winning", "one"],
        Meta(description="weight of what shares of gammons learn: the winning chance, or one (two outputs)"),
    ] = "winning"
    gammon_zero: Annotated[
        bool, option("whether gammons that can no longer be are 0, not learned", is_word=True)
    ] = True
    bearoff: Annotated[
        Literal["none", "two-sided"], Meta(description="two-sided: bearoffs are looked up, not learned")
    ] = "none"
    parent: Annotated[
        str,
        option(
            "a run of this command whose nets to begin with; symmetric ones may become normal", name="from"
        ),
    ] = ""
    alpha: Annotated[float, Meta(gt=0, le=10, description="learning rate from hidden units to outputs")] = 0.1
    beta: Annotated[float, Meta(gt=0, le=10, description="learning rate from inputs to hidden units")] = 0.1
    trace: Annotated[float, Meta(ge=0, le=1, description="lambda of the returns")] = 0.0
    keep_dice: Annotated[
        bool,
        option("value the position after a play as if the same side rolled again, a mistake", is_word=True),
    ] = False
    turn_board: Annotated[
        bool, option("learn each position from the other side too, as if that were on roll", is_word=True)
    ] = False
    teacher: Annotated[
        Literal["self", "against", "taught", "watching"],
        Meta(
            description="self: plays itself; against: plays the expert; taught: learns the expert's "
            "evaluations of its own games; watching: learns from the expert's games against itself"
        ),
    ] = "self"
    expert: Annotated[str, Meta(description="the expert, a player by name")] = "default"
    checkpoint_every: Annotated[int, Meta(ge=1, description="games between checkpoints")] = 10_000
    opponents: OpponentsOption = ("pubeval",)
    benchmark_games: CheckpointGamesOption = 1000
    follow_best: Annotated[
        int,
        Meta(
            ge=0,
            le=1000,
            description="play the best nets so far at each checkpoint, and stop after so many without better "
            "ones; 0 for never",
        ),
    ] = 0
    backtrack: BacktrackOption = 0.0
    backtrack_factor: Annotated[float, Meta(gt=0, le=1, description="factor of both rates on a return")] = 0.5
    least_rate: Annotated[float, Meta(gt=0, le=10, description="lower bound of both rates")] = 0.01
    seed: Annotated[int, Meta(ge=0, description="seed of the first weights and of the dice")] = 1

    @property
    def sizes(self) -> dict[str, int]:
        """Hidden units by kind of position with a net, in the order of `kernels.kinds.KINDS`."""
        own = KINDS if self.own == "all" else self.own.split("+")
        size = self.own_hidden or self.hidden
        return {"contact": self.hidden} | {kind: size for kind in KINDS[1:] if kind in own}

    def check(self) -> None:
        """Check what msgspec cannot.

        Raises:
            ValueRangeError: No net has this number of outputs, or this layout without a turn; no position is
                of such a kind, a rate begins below its lower bound, or the run needs measurements of strength
                that it does not make.
            UnsupportedError: The expert needs an evaluator and has none.
            GammondError: The expert or an opponent cannot be loaded.
        """
        if self.outputs not in NODE_COUNTS:
            raise ValueRangeError(f"--outputs: expected 1, 2 or 5, got {self.outputs}", field="outputs")
        if not self.turn and self.layout != SYMMETRIC:
            raise ValueRangeError("expected layout symmetric without inputs for the turn", field="turn")
        if self.own not in ("none", "all") and (
            unknown := [kind for kind in self.own.split("+") if kind not in KINDS[1:]]
        ):
            raise ValueRangeError(
                f"expected none, all or some of {'+'.join(KINDS[1:])} for own, got {unknown[0][:20]!r}",
                field="own",
            )
        if self.follow_best and (self.backtrack or not self.benchmark_games):
            raise ValueRangeError(
                "expected benchmark games and no --backtrack: --follow-best plays the best nets so far",
                field="follow_best",
            )
        if min(self.alpha, self.beta) < self.least_rate:
            raise ValueRangeError(
                f"expected a least_rate up to {min(self.alpha, self.beta)}, got {self.least_rate}",
                field="least_rate",
            )
        check_backtrack(self.backtrack, self.opponents, self.benchmark_games)
        if self.teacher != SELF:
            expert = load_opponent(self.expert)
            if self.teacher == TAUGHT and not expert.follows_evaluator:
                raise UnsupportedError(
                    f"expected an expert with an evaluator, got {self.expert}",
                    field="expert",
                )
        check_benchmark(self.opponents, self.benchmark_games)

    def compute_rates(self, cuts: int) -> tuple[float, float]:
        """Compute α and β after a number of returns to the best net."""
        share = self.backtrack_factor**cuts
        alpha, beta = (max(rate * share, self.least_rate) for rate in (self.alpha, self.beta))
        return alpha, beta
