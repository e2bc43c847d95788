"""What ``describe`` says of backgammon: nets, players, levels, filters and conventions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict

from gammond.engine.analysis.levels import LEVELS
from gammond.engine.cubeful.solutions import check_solution
from gammond.engine.errors import DataFileError
from gammond.engine.rules.rules import VARIANTS
from gammond.engine.search import FILTERS, MAX_PLIES
from gammond.nets.catalogue import SHIPPED
from gammond.nets.player_specs import OPTION_FIELDS
from gammond.protocol.commands.session_game import ListedPlayer, describe_parameter
from gammond.protocol.core.replies import DECIMALS, describe_error
from gammond.protocol.state.player_registry import SESSION_PLAYERS
from gammond.protocol.state.session import Session

CONVENTIONS = {
    "view": "numbers are for the player on roll, before the roll; after a play, for the player who made it",
    "outcome": "cumulative: win, win_g gammon or more, win_bg backgammon, lose_g and lose_bg likewise",
    "equity": "cubeless money points: 2 win - 1 + win_g + win_bg - lose_g - lose_bg",
    "cubeful": "equity with the cube in units of the current cube; left out of cubeless evaluations",
    "unscaled": "true where equities in units of the current cube are left out: they are not meaningful "
    "where a point is worth almost nothing of the match",
    "mwc": "match-winning chance; left out in money play",
    "plies": "look-ahead after the play; 0 is the net alone (UBGI's engine.ply is plies + 1)",
    "points": "each player counts from the own ace point: 1..24, 25 or bar, 0 or off",
}


def describe_backgammon(session: Session) -> Callable[[], dict[str, object]]:
    """Capture the evaluator of a session, and return what makes the keys of the description."""
    catalogue, net = session.service.catalogue, session.engine_settings.net

    def describe() -> dict[str, object]:
        return {
            "net": net,
            "evaluators": list(catalogue.list_names()),
            "nets": list(catalogue.describe_nets()),
            "players": [each.describe() for each in _list_players(catalogue.file_players.offered)],
            "evaluator_parameters": [describe_parameter(each) for each in OPTION_FIELDS],
            "max_plies": MAX_PLIES,
            "levels": _describe_levels(),
            "filters": _describe_filters(),
            "decimals": DECIMALS,
            "conventions": CONVENTIONS,
            "missing": _describe_missing(),
        }

    return describe


def _describe_missing() -> dict[str, str]:
    """Return why no engine plays variants here, by their names: files that are not built by themselves."""
    missing = {}
    for variant in VARIANTS.values():
        try:
            if variant.is_solved:
                check_solution(variant)
        except DataFileError as error:
            missing[variant.name] = describe_error(error)[2]
    return missing


def _list_players(offered: Iterable[str]) -> list[ListedPlayer]:
    of_sessions = [ListedPlayer(name, summary) for name, summary in SESSION_PLAYERS.items()]
    return [
        *of_sessions,
        *(ListedPlayer(each.name, each.summary, each.list_options()) for each in SHIPPED.list_kinds()),
        *(ListedPlayer(name, "offered by whoever runs this server") for name in offered),
    ]


def _describe_levels() -> list[dict[str, object]]:
    return [
        {
            "name": level.name,
            "plies": level.plies,
            "filter": level.filter_name,
            "noise_points": level.noise_points,
            "error_rate": level.error_rate,
            "meaning": level.meaning,
        }
        for level in LEVELS.values()
    ]


def _describe_filters() -> list[dict[str, object]]:
    return [
        {"name": each.name, "stages": [asdict(stage) for stage in each.stages]} for each in FILTERS.values()
    ]
