"""Decisions for the player who is to act: ``go chequer``, ``go cube``, ``go turn``, ``go take``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import StateError
from gammond.engine.evaluation.results import CubeResponse
from gammond.engine.options import Bounds, Field
from gammond.engine.rules.match import RESULT_NAMES, MatchState
from gammond.engine.rules.notation import format_moves_plain
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import Feature
from gammond.engine.search import FILTERS, MAX_PLIES, SearchWatch
from gammond.engine.search.ranked_plays import ChosenPlay
from gammond.protocol.commands.command import Values
from gammond.protocol.commands.cube import read_resignation
from gammond.protocol.commands.evaluation import ask, choice_to_values, make_search_watch
from gammond.protocol.core.arguments import parse_pairs
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.limits import MAX_MOVETIME_MS
from gammond.protocol.core.replies import make_info_reply
from gammond.protocol.core.requests import Answer, Reply, WorkControl
from gammond.protocol.questions.decisions import (
    ChooseDouble,
    ChoosePlay,
    ChooseResponse,
    ChooseTurn,
    ChosenTurn,
    Decision,
    make_decision_work,
)
from gammond.protocol.state.offers import RESPONSE_WORDS
from gammond.protocol.state.player_registry import ENGINE_PLAYER
from gammond.protocol.state.session import Session

DECISIONS = ("chequer", "cube", "turn", "take")

ROLE = "role"
"""The word that begins the form of UBGI 0.1."""

ROLL_ACTION = "roll"
"""The action of a seat that rolls; all others are actions of ``play``."""

_ResultT = TypeVar("_ResultT")

_POSITIVE = Bounds(1)
_LIMITS = (
    Field("plies", int, Bounds(0, MAX_PLIES)),
    Field("depth", int, _POSITIVE),
    Field("movetime", int, _POSITIVE),
    Field("filter", str, choices=tuple(FILTERS)),
)
LIMIT_NAMES = tuple(field.name for field in _LIMITS)

_ROLE_LIMITS = (*_LIMITS, Field("nodes", int, _POSITIVE), Field("trials", int, _POSITIVE))
"""The limits of UBGI 0.1's form; the last two change nothing here."""

_DECISION = Field("what", str, choices=DECISIONS)


@dataclass(frozen=True)
class GoLimits:
    """The limits of a decision.

    Attributes:
        plies: Look-ahead; None for the session's.
        movetime_s: Seconds from the arrival of the request; None for no limit.
        filter_name: Move filter; None for the session's.
    """

    plies: int | None = None
    movetime_s: float | None = None
    filter_name: str | None = None

    def make_eval_settings(self, session: Session) -> EvalSettings:
        """Return the settings of a session under these limits.

        A time limit alone allows the greatest depth, except at a level with noise: more time must not make it
        stronger.

        Raises:
            UnsupportedError: As `Session.check_eval_settings`.
        """
        plies = self.plies
        is_free = self.movetime_s is not None and session.engine_settings.noise == 0
        if plies is None and is_free and session.game.rules.supports(Feature.LOOK_AHEAD):
            plies = MAX_PLIES
        return session.make_eval_settings(plies, self.filter_name)


def _may_deviate(session: Session) -> bool:
    """Return whether a choice need not be the best of a search: with noise, or by another player."""
    engine = session.engine_settings
    return engine.noise > 0 or engine.player != ENGINE_PLAYER


def _begin(
    session: Session, limits: GoLimits
) -> tuple[float | None, Callable[[WorkControl, float], SearchWatch]]:
    """Return when a decision that is asked for now is due, by the clock, and what makes its watches.

    A watch may take a share of the time.
    """
    clock = session.service.clock
    received_s, from_plies = clock(), MAX_PLIES + 1 if _may_deviate(session) else 0
    deadline_s = None if limits.movetime_s is None else received_s + limits.movetime_s

    def make_watch(control: WorkControl, share: float) -> SearchWatch:
        end_s = None if deadline_s is None else received_s + share * (deadline_s - received_s)
        return make_search_watch(control, end_s, clock, from_plies=from_plies)

    return deadline_s, make_watch


def handle_go(session: Session, values: Values) -> Answer:
    """Make the decision, within the limits given after it."""
    what, rest = values["what"], values["limits"] or ""
    is_role = what == ROLE
    if is_role:
        session.speaks_ubgi01 = True
        what, _, rest = rest.partition(" ")
        if not what:
            raise CommandError(
                f"expected 'go role {'|'.join(DECISIONS)}', got nothing after 'role'", field="what"
            )
        what = _DECISION.parse(what)
    limits, (read, write) = parse_limits(rest.split(), is_role=is_role), _DECISIONS[what]
    question, (deadline_s, make_watch) = read(session), _begin(session, limits)
    settings, deviates = limits.make_eval_settings(session), _may_deviate(session)
    return make_decision_work(
        session, question, settings, lambda found: write(found, deviates), make_watch, deadline_s
    )


def read_play(session: Session) -> ChoosePlay:
    """Return the question which play of the roll to make.

    Raises:
        GammondError: There is no such decision to make now, or people make it.
    """
    position, match = _require_decision(session)
    return ChoosePlay(position, match, session.require_roll()[1])


def read_double(session: Session) -> ChooseDouble:
    """Return the question whether to double; raises as `read_play`, and UnsupportedError without a cube."""
    found = _require_decision(session)
    session.check_supports(Feature.CUBE)
    return ChooseDouble(*found)


def read_turn(session: Session) -> ChooseTurn:
    """Return the question for a whole turn; raises as `read_double`."""
    position, match = _require_decision(session)
    session.check_supports(Feature.CUBE)
    return ChooseTurn(position, match, session.require_roll()[1])


def read_response(session: Session) -> ChooseResponse:
    """Return the question how to answer the pending double; raises as `read_double`."""
    position, _ = _require_decision(session, is_response=True)
    session.check_supports(Feature.CUBE)
    match = session.game.match
    return ChooseResponse(position, match.without_offers(), match.beavered)


def _require_decision(session: Session, *, is_response: bool = False) -> tuple[Position, MatchState]:
    """Return position and match state before the roll, after checking that a decision can be made."""
    position, match, before = session.require_game(), session.game.match, session.require_evaluable_match()
    session.require_engine_player()
    if match.resigned:
        raise StateError(
            "a resignation is pending",
            field="what",
            missing="answer",
            advice=f"'resign {RESULT_NAMES[match.resigned - 1]}' says whether to accept it, "
            "'play accept' or 'play reject' answers it",
        )
    if match.doubled and not is_response:
        raise StateError(
            "a double is pending", field="what", missing="answer", advice="'go take' decides about it"
        )
    if not match.doubled and is_response:
        raise StateError("no double is pending: 'play double' offers one", field="what")
    return position, before


def decide(session: Session, question: Decision[_ResultT], control: WorkControl) -> _ResultT:
    """Make a decision on the spot, with the player and the depth of a session.

    Args:
        session: Who decides.
        question: The decision.
        control: Stops and watches the search.

    Raises:
        GammondError: As `GoLimits.make_eval_settings` and `Decision.run`, or something cannot be loaded.
    """
    limits = GoLimits()
    (_, make_watch), settings = _begin(session, limits), limits.make_eval_settings(session)
    return question.run(session.make_decider_loader(settings)(), partial(make_watch, control))


def choose_action(
    session: Session, control: WorkControl, rejected_kind: int = 0, *, has_cube: bool = True
) -> str:
    """Choose what the seat to act does, as the player and the depth of a session decide.

    Args:
        session: Whose game it is; nothing changes.
        control: Stops and watches the searches.
        rejected_kind: The dearest resignation that the opponent has rejected in this game, which is not
            offered again: 1 a single game, 2 a gammon, 3 a backgammon; 0 for none.
        has_cube: Whether it may double.

    Returns:
        `ROLL_ACTION`, or an action of ``play``.

    Raises:
        GammondError: As `decide`.
    """
    game = session.game
    match = game.match
    if match.resigned:
        found, _ = ask(session, read_resignation(session, match.resigned), control)
        return "accept" if found.is_accepted else "reject"
    if match.doubled:
        return RESPONSE_WORDS[decide(session, read_response(session), control)]
    if match.roll is not None:
        return format_moves_plain(decide(session, read_play(session), control).play)
    if game.rules.supports(Feature.RESIGNATION) and rejected_kind < len(RESULT_NAMES):
        found, _ = ask(session, read_resignation(session, plies=0), control)  # as only clear losses count
        if found.kind > rejected_kind:
            return f"resign {RESULT_NAMES[found.kind - 1]}"
    doubles = has_cube and game.may_double and decide(session, read_double(session), control)
    return "double" if doubles else ROLL_ACTION


def _write_play(choice: ChosenPlay, deviates: bool) -> list[Reply]:
    return [
        *_make_choice_info(choice, deviates),
        Reply("bestmove", format_moves_plain(choice.play), text_key="move"),
    ]


def _write_double(doubles: bool, _: bool) -> list[Reply]:
    return [Reply("bestcube", _DOUBLING_WORDS[doubles], text_key="cube")]


def _write_turn(turn: ChosenTurn, deviates: bool) -> list[Reply]:
    cube, move = _DOUBLING_WORDS[turn.doubles], format_moves_plain(turn.choice.play)
    final = Reply("bestturn", f"cube={cube} move={move}", fields={"cube": cube, "move": move})
    return [*_make_choice_info(turn.choice, deviates), final]


def _write_response(response: CubeResponse, _: bool) -> list[Reply]:
    return [Reply("besttake", RESPONSE_WORDS[response], text_key="response")]


_DOUBLING_WORDS = {True: "double", False: "nodouble"}

_DECISIONS: Mapping[str, tuple[Callable[[Session], Decision[Any]], Callable[[Any, bool], list[Reply]]]] = {
    "chequer": (read_play, _write_play),
    "cube": (read_double, _write_double),
    "turn": (read_turn, _write_turn),
    "take": (read_response, _write_response),
}
"""What reads the question of each decision off a session, and what writes the choice; given also whether that
may deviate from the best."""


def _make_choice_info(choice: ChosenPlay, deviates: bool) -> list[Reply]:
    """Report a choice that need not be the best of the search; the search reported others itself."""
    if not deviates:
        return []
    effort = replace(choice.ranked.effort, plies=choice.chosen.evaluation.plies or 0)
    return [make_info_reply(choice_to_values(effort, choice.chosen))]


def parse_limits(words: Sequence[str], *, is_role: bool = False) -> GoLimits:
    """Parse limits, each with its value: ``plies 2`` or ``plies=2``.

    A depth or time beyond what is offered means the most that is.

    Args:
        words: The words after the decision.
        is_role: Whether this is UBGI 0.1's form, which has two limits more.

    Raises:
        CommandError: The words are no such pairs, or give the depth twice.
        ValueRangeError: A value is out of range; the field is the limit's name.
    """
    pairs = parse_pairs(words, _ROLE_LIMITS if is_role else _LIMITS, error_field="limits")
    if {"plies", "depth"} <= set(pairs):
        raise CommandError("expected 'plies' or 'depth' (plies + 1), got both", field="limits")
    plies = pairs.get("plies", min(pairs["depth"] - 1, MAX_PLIES) if "depth" in pairs else None)
    movetime_s = min(pairs["movetime"], MAX_MOVETIME_MS) / 1000 if "movetime" in pairs else None
    return GoLimits(plies, movetime_s, pairs.get("filter"))
