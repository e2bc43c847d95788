"""Backgammon and its variants, as tournaments play them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from gammond.engine.rules.rules import VARIANTS, Doubles, Rules
from gammond.tools.tournament.entrants import Entrant, load_entrant, load_entrants
from gammond.tools.tournament.pairings import play_range
from gammond.tools.tournament.records import check_records
from gammond.tools.tournament.rules import PairingTask, TournamentMode, TournamentRules
from gammond.tools.tournament.statistics.scores import PairedScores


class BackgammonTournament:
    """The game, as a `gammond.tools.tournament.games.TournamentGame`."""

    def read_rules(self, args: argparse.Namespace) -> TournamentRules:
        """Return what the arguments ask for, as `TournamentGame.read_rules`."""
        game = Rules(VARIANTS[args.variant], Doubles(args.doubles))
        if args.match is not None:
            rules = TournamentRules(TournamentMode.MATCH, args.seed, args.match, args.cube_by, game)
        else:
            mode = (
                TournamentMode.HOME_BOUND
                if args.home_bound
                else TournamentMode.CUBEFUL
                if args.cubeful
                else TournamentMode.CUBELESS
            )
            rules = TournamentRules(mode, args.seed, cube_by=args.cube_by, game=game)
        check_records(args.records, rules)
        return rules

    def load_entrants(self, names: Sequence[str], rules: TournamentRules) -> list[Entrant]:
        """Load all players, as `TournamentGame.load_entrants`."""
        return load_entrants(names, has_cube=rules.mode.has_cube, cube_by=rules.cube_by, game=rules.game)

    def load_helpers(self, names: Sequence[str], rules: TournamentRules) -> list[Entrant]:
        """Return the player that makes cube decisions for others, if it does not play itself."""
        return [load_entrant(rules.cube_by)] if rules.cube_by not in ("", *names) else []

    def play_range(
        self,
        task: PairingTask[TournamentRules],
        progress: Callable[[int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> PairedScores:
        """Play the games of a task, as `TournamentGame.play_range`."""
        return play_range(task, progress, cancelled)
