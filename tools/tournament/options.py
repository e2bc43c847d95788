"""The options of `gammond tournament`, which every game that it knows reads its rules from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from msgspec import Struct

from gammond.engine.rules.match import MAX_MATCH_LENGTH
from gammond.engine.rules.rules import VARIANTS, Doubles
from gammond.tools.common.command_options import (
    CORES,
    argument,
    force_option,
    option,
    threads_option,
    written_file,
)
from gammond.tools.common.figures import plot_option
from gammond.tools.common.opponents import PLAYER_HELP
from gammond.tools.common.wings import find_wings
from gammond.tools.parallel.options import Cluster
from gammond.tools.tournament.games import DEFAULT_VARIANT, GameRules


def list_games() -> list[str]:
    """Return the names of all games and variants."""
    return [*VARIANTS, *find_other_games()]


def find_other_games() -> dict[str, Callable[[], RulesReader]]:
    """Return what loads the readers of the rules of games other than backgammon, by their names."""
    return {name: load for wing in find_wings() for name, load in wing.tournaments.items()}


class TournamentOptions(Struct, frozen=True, kw_only=True):
    """Who plays what, how often, and where it is kept."""

    players: Annotated[tuple[str, ...], argument("PLAYER", f"two or more: {PLAYER_HELP}", count="+")]
    games: Annotated[int, option("games of each pair of players, or matches; even", ge=4, multiple_of=2)] = (
        10_000
    )
    seed: Annotated[int, option("seed of the dice, 0 or more", ge=0)] = 1
    home_bound: Annotated[
        bool,
        option(
            "stop games once contact is over and count the pips ahead, plus 8.166 for the side to roll",
            one_of="kind",
        ),
    ] = False
    cubeful: Annotated[bool, option("money games with the cube, one at a time", one_of="kind")] = False
    match: (
        Annotated[
            int, option("matches to N points, with the cube", "N", one_of="kind", ge=1, le=MAX_MATCH_LENGTH)
        ]
        | None
    ) = None
    cube_by: Annotated[
        str, option("evaluator that makes the cube decisions for players without their own", "NET")
    ] = ""
    variant: Annotated[
        str, option(f"the game that is played: {', '.join(list_games())}", "GAME", choices=list_games)
    ] = DEFAULT_VARIANT
    doubles: Annotated[
        str,
        option(
            "checker moves for doubles; two only for players without look-ahead",
            choices=[each.value for each in Doubles],
        ),
    ] = Doubles.FOUR.value
    sprt: (
        Annotated[
            tuple[float, ...],
            option(
                "stop a pair when the SPRT accepts elo1=HIGH or elo0=LOW for the first player relative to "
                "the second; --sprt=LOW,HIGH where LOW is negative",
                "LOW,HIGH",
                one_of="test",
            ),
        ]
        | None
    ) = None
    sprt_points: (
        Annotated[
            tuple[float, ...],
            option("the same for the score, such as points per game", "LOW,HIGH", one_of="test"),
        ]
        | None
    ) = None
    alpha: Annotated[float, option("probability of accepting HIGH where LOW is true")] = 0.05
    beta: Annotated[float, option("probability of rejecting HIGH where it is true")] = 0.05
    anchor: Annotated[str, option("player whose Elo is 0 (default the first)", "PLAYER")] | None = None
    threads: Annotated[
        int, threads_option("processes that share the games; their number changes no result")
    ] = CORES
    cluster: Cluster = ""
    keep: Annotated[Path, written_file("write results here as games finish, and resume from them")] | None = (
        None
    )
    records: Annotated[Path, written_file("write the games here as .mat files", "FOLDER")] | None = None
    csv: Annotated[Path, written_file("write a row for each pair of players")] | None = None
    plot: Annotated[Path, plot_option("the table")] | None = None
    force: Annotated[bool, force_option()] = False
    json: Annotated[bool, option("write one JSON object instead of text")] = False


RulesReader = Callable[[TournamentOptions], GameRules]
"""Returns the rules that the options ask for; a `GammondError` where the game lacks them."""
