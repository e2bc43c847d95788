"""The games of the session's table as a match, as those of a file are."""

from __future__ import annotations

from dataclasses import replace

from engine.match_files.model import MatchRules, RecordedGame, RecordedMatch
from engine.rules.game_record import GameAction, ResignationAction, RollAction, SetAction
from protocol.state.game_log import GameLog, LoggedAction, LoggedGame, is_continuation, list_record_actions


def make_own_match(log: GameLog) -> RecordedMatch | None:
    """Return the match that the game at hand belongs to, that game last; None without one.

    Args:
        log: What was done at the table.
    """
    games = [recorded for number, game in enumerate(log.games, 1) if (recorded := _record_game(number, game))]
    if not games or log.game is None:
        return None
    start = log.games[0].start.match
    rules = MatchRules(games[0].rules, jacoby=start.jacoby, beavers=start.beavers)
    return RecordedMatch(log.game.names, start.length, rules, tuple(games))


def _record_game(number: int, game: LoggedGame) -> RecordedGame | None:
    """Return a game as far as it went; None without a position.

    What was changed by hand is set in its midst; after a change of the rules the game begins anew.
    """
    start, actions, last = game.start, list[GameAction](), None
    for done in game.actions:
        before = done.before
        if last is None or before.rules != last.rules:
            last = start = replace(before, match=before.match.before_roll())
            actions.clear()
        if not is_continuation(before, last):
            assert before.position is not None
            actions.append(SetAction(before.position, replace(before.match, roll=None, resigned=0)))
        actions += _list_actions(done)
        last = done.after
    if start.position is None:
        return None
    match = start.match.before_roll()
    return RecordedGame(number, match, start.position, tuple(actions), game.result, start.rules)


def _list_actions(done: LoggedAction) -> list[GameAction]:
    """Return the entries for an action; a resignation with its answer, and with the roll that was out."""
    match = done.before.match
    if done.text == "reject":
        return [ResignationAction(1 - match.to_act, match.resigned, is_accepted=False)]
    actions = list_record_actions(done)
    if done.text == "accept" and match.roll is not None:
        return [RollAction(match.on_roll, match.roll), *actions]
    return actions
