"""One play beside the best one of its roll."""

from __future__ import annotations

from dataclasses import replace

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.engine_store import KeptAnalysis
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import CancelledWork
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import Play, generate_plays
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import Rules
from gammond.engine.search import SearchWatch
from gammond.engine.search.ranked_plays import ChosenPlay


def compare_play(
    engine: Engine,
    position: Position,
    roll: Roll,
    match: MatchState,
    play: Play,
    settings: EvalSettings | None = None,
    watch: SearchWatch | None = None,
) -> ChosenPlay:
    """Compare a play with the best one, at the depth of the best.

    A play that the move filter does not let through is evaluated by itself. Where that is stopped, all
    plays are compared at 0-ply.

    Args:
        engine: Ranks and evaluates.
        position: The position, the player on roll to move.
        roll: Two dice, in any order.
        match: The match state; its seat on roll is the one that plays.
        play: One of the legal plays.
        settings: As for `Engine.rank_plays`.
        watch: As for `Engine.rank_plays`.

    Raises:
        StateError: The game is over.
        PositionError: The settings are cubeful, and in a match a cube above 1 has no owner.
        UnsupportedError: The rules support neither look-ahead nor the cube, and the settings use them.
    """
    settings, watch = settings or EvalSettings.make_default(engine.rules), watch or SearchWatch()
    ranked = engine.rank_plays(position, roll, match, settings, watch)
    found = ranked.choose(play)
    if found.chosen.survived:
        return found
    ranked = replace(ranked, effort=replace(ranked.effort, is_stored=False))
    plies = ranked.effort.plies - engine.evaluator.plies
    depth = settings.with_plies(max(plies, settings.plies))  # a kept ranking may be deeper
    try:
        evaluated = engine.make_search(match, depth).evaluate_play(
            position, roll, play, plies, watch, engine.rules
        )
    except CancelledWork:
        ranked = engine.rank_plays(position, roll, match, replace(settings, plies=0))
        return replace(ranked, effort=replace(ranked.effort, is_finished=False)).choose(play)
    equities = ranked.survivor_equities()
    better = sum(equity > evaluated.evaluation.equity for equity in equities)
    return ChosenPlay(evaluated, better + 1 if better < len(equities) else found.rank, ranked)


def has_compared(kept: KeptAnalysis, position: Position, roll: Roll, play: Play, rules: Rules) -> bool:
    """Return whether a kept ranking has a play at the depth of the best, so that nothing is to be searched.

    Args:
        kept: The ranking.
        position: The position.
        roll: The dice.
        play: One of the legal plays.
        rules: The rules of the game.
    """
    entry = kept.entry
    plays = generate_plays(position, roll, rules)
    if len(plays) != len(entry.order):
        return False
    places = (plays.boards[entry.order[: entry.survivors]] == play.result.board).all(axis=(1, 2))
    return bool(places.any())
