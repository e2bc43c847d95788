"""What is done at the table: rolls, plays, offers and their answers; the engine's turns after them.

Between two calls either no game is on, or it is over, or the person is to act: to roll, to play, to answer
an offer. Only an error leaves the engine's turn unfinished; `continue_game` resumes it. `Session.undo` takes
each step back.
"""

from __future__ import annotations

from gammond.engine.errors import StateError
from gammond.engine.match_analysis.analysis import AnalysisSettings
from gammond.engine.rules.dice import format_roll
from gammond.engine.rules.match import RESULT_NAMES, GameResult
from gammond.engine.wording import format_count
from gammond.protocol.commands.decisions import ROLL_ACTION, choose_action
from gammond.protocol.commands.game import OFFER_ACTIONS, act
from gammond.protocol.commands.session_game import find_setting, put_setting
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.analysis import find_best_action
from gammond.protocol.repl.answers.sentences import (
    HUMAN_NAME,
    describe_action,
    describe_offer,
    describe_result,
    make_sentence,
)
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.game.views import format_chances_now, show_score
from gammond.protocol.repl.records.losses import find_costliest, format_losses, list_losses, summarize_losses
from gammond.protocol.repl.records.match_analysis import MatchAnalysis
from gammond.protocol.state.session import Session

OPPONENT = "opponent"
"""The word for the player that is played against."""

WORST_COUNT = 5
"""The number of decisions that a review shows."""

_DOUBLE_ANSWERS = {"pass": "drop", "reject": "drop", "accept": "take"}
"""Words for plays and resignations that, while a double is pending, can only mean an answer to it."""

_NEWS_COUNT = 4
"""The sentences of the last actions that are remembered: turns without a legal move may be many."""


def roll(game: ReplGame, control: WorkControl) -> list[str]:
    """Roll for the seat on roll.

    Raises:
        GammondError: It is not the time to roll.
    """
    lines = continue_game(game, control)
    _check_no_offer(game)
    if objection := _ask_tutor(game, ROLL_ACTION, control):
        return lines + objection
    subject, leaving, origin = game.names[game.session.game.match.on_roll], note_leaving(game), game.origin
    game.session.roll_dice()
    if origin is not None:
        origin.tried.append(game.session.game)
    rolled = make_sentence(subject, "roll", format_roll(game.session.require_roll()[1]))
    game.news = [*game.news, rolled][-_NEWS_COUNT:]
    return [*lines, rolled, *leaving, *continue_game(game, control)]


def make_play(game: ReplGame, control: WorkControl, text: str) -> list[str]:
    """Make a play as the seat on roll; in a game the engine answers it.

    Raises:
        GammondError: It is none, or not the time for it; the table is as it was.
    """
    if (answer := _find_answer(game, text)) is not None:
        return take_action(game, control, answer)
    lines = continue_game(game, control)
    _check_no_offer(game)
    return lines + _play_decision(game, control, text)


def take_action(game: ReplGame, control: WorkControl, action: str) -> list[str]:
    """Do something with the cube or a resignation as the seat to act; in a game the engine answers it.

    Args:
        game: The table.
        control: Stops and watches the engine's turn.
        action: What ``play`` takes: ``double``, ``take``, ``resign gammon``...

    Raises:
        GammondError: The rules do not allow it now; the table is as it was.
    """
    action = _find_answer(game, action) or action
    lines = continue_game(game, control)
    if action.startswith("resign") and game.human_seat is not None:
        _check_no_offer(game)
    return lines + _play_decision(game, control, action)


def play_best_action(game: ReplGame, control: WorkControl, player: str | None = None) -> list[str]:
    """Carry out the best action for the seat to act.

    Args:
        game: The table.
        control: Stops and watches the search.
        player: Who says what is best: what ``engine.player`` takes, or `OPPONENT` for the one that is played
            against; `find_best_action` if None.

    Raises:
        GammondError: There is nothing to decide, there is no such player, or the evaluation failed.
    """
    session, lines = game.session, continue_game(game, control)
    game.note_advice()
    if player is None:
        action = find_best_action(session, control)
    else:
        before = session.engine_settings
        name = before.player if player == OPPONENT else player
        put_setting(session, find_setting(session, "engine.player"), name)
        try:
            action = choose_action(session, control, rejected_kind=len(RESULT_NAMES))
        finally:
            session.engine_settings = before
    return lines + _decide(game, control, action)


def keep(game: ReplGame, control: WorkControl) -> list[str]:
    """Carry out the decision that the tutor objected to.

    Raises:
        StateError: There is none.
    """
    return _decide(game, control, game.tutor.take_objected(game.session.game))


def continue_game(game: ReplGame, control: WorkControl) -> list[str]:
    """Play on until a person must decide: the engine's turns, and turns without a legal move."""
    session, lines = game.session, list[str]()
    while game.is_running:
        if session.game.match.to_act != game.human_seat and not game.has_two_humans:
            action = choose_action(session, control, rejected_kind=game.rejected_kind)
            if action == ROLL_ACTION:
                session.roll_dice()
            else:
                lines += _perform(game, control, action)
        elif _must_pass(session):
            lines += _perform(game, control, "pass")
        else:
            break
    return lines


def review(game: ReplGame, control: WorkControl) -> list[str]:
    """Return what the person's decisions of this game, or the last one, lost; with two people both.

    It also says for how many decisions the engine had told its choice.

    Raises:
        StateError: There has been no game.
        GammondError: An evaluation failed.
    """
    if not game.session.log.actions:
        raise StateError("no game to review: 'play' or 'new' starts one", field="review")
    record = game.records.update_own(game.session.log)
    game.records.stop_analysis(of=record)
    number, engine = len(record.match.games) - 1, game.session.engine_settings
    settings = AnalysisSettings(engine.plies, filter_name=engine.filter_name)
    analysis = MatchAnalysis(game.session, record, [number], settings)
    count, lines = len(game.advised), ["Stopped: nothing is reviewed."]
    if analysis.wait(control):
        seats = (record.names.index(HUMAN_NAME),) if HUMAN_NAME in record.names else (0, 1)
        losses = [each for each in list_losses(record) if each.place.game == number]
        worst = [each for seat in seats for each in find_costliest(losses, seat, WORST_COUNT)]
        game.records.note_listed(record, [each.place for each in worst])
        lines = [line for seat in seats for line in summarize_losses(record, seat, number)]
        lines += format_losses(record, worst)
    else:
        analysis.stop()
    if not count:
        return lines
    decisions = f"For {format_count(count, 'decision')} of this game"
    return [*lines, f"{decisions} the engine had told its choice: these figures are not yours alone."]


def note_leaving(game: ReplGame) -> list[str]:
    """Return how to come back to the open match that is on the table; nothing for another table."""
    return [] if game.shown_place is None else ["'back' returns to the match that is open."]


def _find_answer(game: ReplGame, word: str) -> str | None:
    """Return the answer to a pending double that a word of another meaning stands for; None for none."""
    match = game.session.game.match
    return _DOUBLE_ANSWERS.get(word.strip().lower()) if match.doubled and not match.resigned else None


def _must_pass(session: Session) -> bool:
    match = session.game.match
    return match.roll is not None and not match.resigned and session.list_legal_plays()[0].is_no_move


def _check_no_offer(game: ReplGame) -> None:
    """Check that no offer is pending.

    Raises:
        StateError: A double or a resignation is.
    """
    table = game.session.game
    if not table.is_over and (table.match.doubled or table.match.resigned):
        raise StateError(describe_offer(table.match), field="play")


def _ask_tutor(game: ReplGame, action: str, control: WorkControl) -> list[str]:
    """Return what the tutor says against a person's decision; nothing without a game."""
    if not game.is_running:
        return []
    objection = game.tutor.object_to(game.session.game, action, control)
    if game.tutor.is_followed:
        game.note_advice()
    return objection


def _decide(game: ReplGame, control: WorkControl, action: str) -> list[str]:
    """Carry out a decision, `ROLL_ACTION` or what ``play`` takes, as a person's."""
    return roll(game, control) if action == ROLL_ACTION else _play_decision(game, control, action)


def _play_decision(game: ReplGame, control: WorkControl, text: str) -> list[str]:
    """Carry out a person's decision for the seat to act, and the engine's turns after it."""
    if objection := _ask_tutor(game, text, control):
        return objection
    before, game.news = game.session.game, []
    lines = _perform(game, control, text)
    if game.human_seat is not None:
        game.decisions.append(before)
    return lines + continue_game(game, control)


def _perform(game: ReplGame, control: WorkControl, text: str) -> list[str]:
    """Carry out an action of ``play``; describe it, and the end of the game if it ends.

    The names of an open match at whose place it is tried stay.
    """
    before, leaving, origin = game.session.game.match, note_leaving(game), game.origin
    words, result = act(game.session, text)
    if origin is not None:
        origin.tried.append(game.session.game)
    said = describe_action(words, before, game.session.game.match, game.names)
    game.news = [*game.news, said][-_NEWS_COUNT:]
    lines = [said, *leaving]
    if words not in OFFER_ACTIONS:
        lines += format_chances_now(game)
    if words == "reject" and before.to_act == game.human_seat:
        game.rejected_kind = max(game.rejected_kind, before.resigned)
    if result is None:
        return lines
    lines += [describe_result(game.names[result.winner], result.name, result.points)]
    lines += _describe_score_after(game, result)
    if game.tutor.limit is not None and game.human_seat is not None:
        lines += review(game, control)
    return lines


def _describe_score_after(game: ReplGame, result: GameResult) -> list[str]:
    """Return the score after a game, and what comes next."""
    if game.human_seat is None:
        return []
    if game.is_match_over:
        winner = result.winner
        won = f"the match {game.points[winner]}-{game.points[1 - winner]}"
        return [f"{make_sentence(game.names[winner], 'win', won)} 'new' starts another."]
    return [*show_score(game), "'new' starts the next game."]
