"""Sentences about a game: who rolls, plays, doubles, wins, and what the score is."""

from __future__ import annotations

from gammond.engine.rules.cube_actions import name_double
from gammond.engine.rules.dice import format_roll
from gammond.engine.rules.match import RESULT_NAMES, MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import Variant
from gammond.engine.wording import format_count
from gammond.protocol.commands.board_drawing import CHECKER_MARKS, describe_money_rules
from gammond.protocol.state.game_state import GameState
from gammond.protocol.state.offers import format_alternatives, list_responses

ENGINE_NAME = "gammond"
HUMAN_NAME = "you"
HUMAN_NAMES = (HUMAN_NAME, *CHECKER_MARKS)
"""The names of seats that people play."""

SeatNames = tuple[str, str]
"""The names of seats 0 and 1."""

LEAVE_VARIANT = "'set game.variant backgammon' goes back"

_RESULT_PHRASES = {"single": "a single game", "gammon": "a gammon", "backgammon": "a backgammon"}


def make_sentence(name: str, verb: str, rest: str = "") -> str:
    """Return a sentence about a player: ``You roll 3-1.`` or ``gammond rolls 3-1.`` alike.

    Args:
        name: The player; ``you`` takes the plain form of the verb.
        verb: In its plain form.
        rest: What follows.
    """
    if name == HUMAN_NAME:
        subject = "You"
    else:
        subject, verb = (
            name,
            verb if verb.startswith("cannot") else f"{verb}{'es' if verb.endswith('s') else 's'}",
        )
    return f"{subject} {verb} {rest}".rstrip() + "."


def describe_result(name: str, result: str, points: int) -> str:
    """Describe the end of a game.

    Args:
        name: The winner.
        result: ``single``, ``gammon`` or ``backgammon``.
        points: What it counts, cube included.
    """
    return make_sentence(name, "win", _describe_game_result(result, points))


def _describe_game_result(result: str, points: int) -> str:
    return f"{_RESULT_PHRASES[result]}, {format_count(points, 'point')}"


def describe_score(
    match: MatchState, points: tuple[int, int], names: SeatNames, *, is_over: bool = False
) -> str:
    """Write score, kind of game, cube and rules: ``You 2, gammond 1 in a 5-point match, cube 1 centred``.

    Args:
        match: The kind of game, and the cube.
        points: Of seats 0 and 1.
        names: Of seats 0 and 1.
        is_over: Whether the game is over: the match state is that of the next one, if there is one.
    """
    game = "money play" if match.is_money else f"a {match.length}-point match"
    score = f"{begin_sentence(names[0])} {points[0]}, {names[1]} {points[1]} in {game}"
    if is_over:
        is_next_crawford = match.crawford and max(points) < match.length
        return f"{score}; the next game is the Crawford game" if is_next_crawford else score
    crawford = ", Crawford game" if match.crawford else ""
    rules = f"; {describe_money_rules(match)}" if match.is_money else ""
    return f"{score}{crawford}, {describe_cube(match)}{rules}"


def describe_pips(position: Position, on_roll: int, names: SeatNames) -> str:
    """Write both pip counts and the lead, as in ``You 152, gammond 167: you lead by 15, 9.9 %``.

    Args:
        position: As the seat on roll sees it.
        on_roll: That seat.
        names: Of seats 0 and 1.
    """
    own, other = position.pips
    counts = (own, other) if on_roll == 0 else (other, own)
    text = f"{begin_sentence(names[0])} {counts[0]}, {names[1]} {counts[1]}"
    if counts[0] == counts[1]:
        return f"{text}: even."
    leader = int(counts[1] < counts[0])
    lead, least = abs(counts[0] - counts[1]), min(counts)
    share = f", {100 * lead / least:.1f} %" if least else ""
    verb = "lead" if names[leader] == HUMAN_NAME else "leads"
    return f"{text}: {names[leader]} {verb} by {lead}{share}."


def begin_sentence(text: str) -> str:
    """Return text as a sentence begins with it; names of programs at its beginning stay as they are."""
    is_about_human = text == HUMAN_NAME or text.startswith(f"{HUMAN_NAME} ")
    return f"{text[0].upper()}{text[1:]}" if is_about_human else text


def describe_cube(match: MatchState) -> str:
    """Describe the value and the owner of the cube."""
    holder = "centred" if match.cube_owner is None else f"held by {CHECKER_MARKS[match.cube_owner]}"
    return f"cube {match.cube} {holder}"


def describe_cube_access(match: MatchState, names: SeatNames) -> str:
    """Say where the cube is and who may turn it, as in ``You hold the cube at 2: only you may ...``.

    Args:
        match: The match state.
        names: Of seats 0 and 1.
    """
    owner = match.cube_owner
    place = f"The cube is centred at {match.cube}"
    if owner is not None:
        place = make_sentence(names[owner], "hold", f"the cube at {match.cube}")[:-1]
    if match.doubled:
        return f"{place}; {describe_offer(match)}."
    if match.crawford:
        return f"{place}: nobody doubles in the Crawford game."
    gaining = [
        name
        for seat, name in enumerate(names)
        if match.has_cube_access(seat) and (match.is_money or match.cube < match.away(seat))
    ]
    if not gaining:
        return f"{place}: a double would gain nothing."
    if len(gaining) == 2:
        return f"{place}: both sides may double."
    return f"{place}: only {gaining[0]} may gain by a {name_double(match)}."


def describe_action(action: str, before: MatchState, after: MatchState, names: SeatNames) -> str:
    """Describe what a seat did.

    Args:
        action: What ``play`` answered: a play, or a word for the cube or a resignation.
        before: The match state in which it was done, by the seat that was to act.
        after: The match state that followed.
        names: Of seats 0 and 1.
    """
    name = names[before.to_act]
    verb, _, kind = action.partition(" ")
    if verb == "resign":
        points = before.game_result(1 - before.to_act, RESULT_NAMES.index(kind) + 1).points
        return make_sentence(
            name, "offer", f"to resign {_describe_game_result(kind, points)}"
        ) + _ask_for_response(after, names)
    if verb == "double":
        offer = make_sentence(name, name_double(before), f"to {2 * before.cube}")
        return offer + _ask_for_response(after, names)
    if verb == "beaver":
        return make_sentence(name, verb, f"to {2 * after.cube}") + _ask_for_response(after, names)
    if verb == "take":
        return f"{make_sentence(name, verb)} The cube is at {after.cube}."
    if verb == "reject":
        return make_sentence(name, verb, "the resignation; the game continues")
    if verb in ("drop", "accept"):
        return make_sentence(name, "pass" if verb == "drop" else verb)
    sentence = make_sentence(name, "cannot move") if action == "pass" else make_sentence(name, "play", action)
    return (
        sentence if name == HUMAN_NAME or before.roll is None else f"{format_roll(before.roll)}: {sentence}"
    )


def describe_offer(match: MatchState) -> str:
    """Describe the pending offer with its answers; empty without one.

    For example ``a double to 2 is pending: 'take' or 'drop'``.
    """
    if match.resigned:
        kind = list(_RESULT_PHRASES.values())[match.resigned - 1]
        offer = f"an offer to resign {kind}"
    elif match.beavered:
        offer = f"a beaver to {2 * match.cube}"
    elif match.doubled:
        offer = f"a {name_double(match.without_offers())} to {2 * match.cube}"
    else:
        return ""
    return f"{offer} is pending: {describe_responses(match)}"


def describe_responses(match: MatchState) -> str:
    """List the words that answer the pending offer: ``'take', 'drop' or 'beaver'``."""
    return format_alternatives(list_responses(match))


def describe_position(game: GameState) -> str:
    """Say that a position was set up, and describe it."""
    return f"Position set: {describe_game(game)}"


def describe_game(game: GameState) -> str:
    """Describe a game: who is to act, the score and the cube; of one that is over the score."""
    match = game.match
    points = ", ".join(f"{mark} {own}" for mark, own in zip(CHECKER_MARKS, game.score, strict=True))
    kind = "money play" if match.is_money else f"{points} to {match.length}"
    if game.is_over:
        return f"the game is over; {kind}."
    crawford = ", Crawford game" if match.crawford else ""
    turn = describe_turn(match, CHECKER_MARKS[match.to_act])
    return f"{turn}; {kind}{crawford}, {describe_cube(match)}."


def describe_turn(match: MatchState, name: str = HUMAN_NAME) -> str:
    """Describe what a person must decide: ``you are to play 3-1``.

    Args:
        match: The match state.
        name: The person.
    """
    subject = f"{name} {'are' if name == HUMAN_NAME else 'is'} to"
    if match.resigned:
        return f"{subject} answer the resignation"
    if match.doubled:
        return f"{subject} answer the {'beaver' if match.beavered else 'double'}"
    return f"{subject} roll" if match.roll is None else f"{subject} play {format_roll(match.roll)}"


def _ask_for_response(match: MatchState, names: SeatNames) -> str:
    """Ask for the answer to an offer, unless the engine gives it."""
    return f" {describe_responses(match)}?" if names[match.to_act] in HUMAN_NAMES else ""


def describe_variant(variant: Variant) -> str:
    """Describe a variant of backgammon: what its sides start with, and whether it is solved."""
    checkers = format_count(variant.checkers, "checker")
    start = " ".join(f"{point}:{count}" for point, count in variant.start_points)
    text = f"{checkers} a side, at the start on {start} (point:checkers), all else as in backgammon."
    if variant.is_solved:
        text += " All positions are solved: in money play, plays and doubles are rated without an error."
    return f"{variant.name}: {text}"
