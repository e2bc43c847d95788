"""Decisions for the player who is to act: ``go chequer``, ``go cube``, ``go turn``, ``go take``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from engine.analysis.levels import EvalSettings
from engine.cubeful import CubeResponse
from engine.errors import StateError
from engine.options import Bounds, Field
from engine.play.decider import Decider
from engine.rules.dice import Roll
from engine.rules.match import RESULT_NAMES, MatchState
from engine.rules.moves import estimate_plays
from engine.rules.notation import format_moves_plain
from engine.rules.position import Position
from engine.rules.rules import Feature
from engine.search import FILTERS, MAX_PLIES, SearchWatch
from engine.search.results import ChosenPlay
from protocol.commands.command import CommandCall
from protocol.commands.evaluation import (
    DECISION_SIZE,
    MAX_QUICK_PLAYS,
    MAX_SHORT_PLAYS,
    format_choice_info,
    make_decision_kind,
    make_search_watch,
)
from protocol.core.arguments import parse_pairs
from protocol.core.errors import CommandError
from protocol.core.limits import MAX_MOVETIME_MS
from protocol.core.requests import Answer, Reply, Work, WorkControl
from protocol.state.offers import RESPONSE_WORDS
from protocol.state.player_registry import ENGINE_PLAYER
from protocol.state.session import Session

DECISIONS = ("chequer", "cube", "turn", "take")

ROLE = "role"
"""The word that begins the form of UBGI 0.1."""

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


@dataclass(frozen=True)
class GoRequest:
    """What a decision is about, captured when the request arrived.

    Attributes:
        position: The checkers, those of the seat on roll first.
        match: The match state; for a play and a double as before the roll.
        settings: Look-ahead and move filter.
        load_decider: Returns the decider; may block.
        clock: Seconds.
        received_s: When the request arrived, by the clock.
        deadline_s: When to answer, by the clock; None for never.
        may_deviate: Whether the choice need not be the best play of the search: the level has noise, or
            another player chooses.
        is_long: Whether it takes longer than 0-ply.
    """

    position: Position
    match: MatchState
    settings: EvalSettings
    load_decider: Callable[[], Decider]
    clock: Callable[[], float]
    received_s: float
    deadline_s: float | None
    may_deviate: bool
    is_long: bool

    def make_watch(self, control: WorkControl, share: float = 1.0) -> SearchWatch:
        """Return the watch of a search that may take a share of the time."""
        deadline_s = self.deadline_s
        if deadline_s is not None:
            deadline_s -= (1.0 - share) * (deadline_s - self.received_s)
        from_plies = MAX_PLIES + 1 if self.may_deviate else 0
        return make_search_watch(control, deadline_s, self.clock, from_plies=from_plies)


def handle_go(call: CommandCall) -> Answer:
    """Make the decision, within the limits given after it."""
    session, what, rest = call.session, call.values["what"], call.values["limits"] or ""
    is_role = what == ROLE
    if is_role:
        session.speaks_ubgi01 = True
        what, _, rest = rest.partition(" ")
        if not what:
            raise CommandError(
                f"expected 'go role {'|'.join(DECISIONS)}', got nothing after 'role'", field="what"
            )
        what = _DECISION.parse(what)
    request = _make_request(session, what, parse_limits(rest.split(), is_role=is_role))
    return _GO_HANDLERS[what](session, request)


def _make_request(session: Session, what: str, limits: GoLimits) -> GoRequest:
    """Capture what a decision is about, after checking that it can be made."""
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
    if match.doubled and what != "take":
        raise StateError(
            "a double is pending", field="what", missing="answer", advice="'go take' decides about it"
        )
    if not match.doubled and what == "take":
        raise StateError("no double is pending: 'play double' offers one", field="what")
    if what != "chequer":
        session.check_supports(Feature.CUBE)
    engine, clock = session.engine_settings, session.service.clock
    depth, is_own, asked_s = limits.make_eval_settings(session), engine.player == ENGINE_PLAYER, clock()
    return GoRequest(
        position,
        match.without_offers() if what == "take" else before,
        depth,
        session.make_decider_loader(depth),
        clock,
        asked_s,
        None if limits.movetime_s is None else asked_s + limits.movetime_s,
        may_deviate=engine.noise > 0 or not is_own,
        is_long=depth.plies > 0 or (not is_own and session.service.players.uses_look_ahead(engine.player)),
    )


def _go_chequer(session: Session, request: GoRequest) -> Work:
    _, roll = session.require_roll()

    def decide(decider: Decider, control: WorkControl) -> list[Reply]:
        choice = decider.choose_play(request.position, roll, request.match, request.make_watch(control))
        return [
            *_make_choice_info(request, choice),
            Reply("bestmove", format_moves_plain(choice.evaluation.play)),
        ]

    return _make_work(session, request, decide, "plays", asks=(roll,))


def _go_cube(session: Session, request: GoRequest) -> Work:
    def decide(decider: Decider, control: WorkControl) -> list[Reply]:
        return [Reply("bestcube", _decide_double(decider, request, request.make_watch(control)))]

    return _make_work(session, request, decide, "cube", asks=(None,))


def _go_turn(session: Session, request: GoRequest) -> Work:
    _, roll = session.require_roll()

    def decide(decider: Decider, control: WorkControl) -> list[Reply]:
        cube = _decide_double(decider, request, request.make_watch(control, share=0.5))
        choice = decider.choose_play(request.position, roll, request.match, request.make_watch(control))
        move = format_moves_plain(choice.evaluation.play)
        final = Reply("bestturn", f"cube={cube} move={move}", fields={"cube": cube, "move": move})
        return [*_make_choice_info(request, choice), final]

    asks = (None, roll) if request.match.may_double(request.match.on_roll) else (roll,)
    return _make_work(session, request, decide, "turn", asks=asks)


def _go_take(session: Session, request: GoRequest) -> Work:
    is_beavered = session.game.match.beavered

    def decide(decider: Decider, control: WorkControl) -> list[Reply]:
        watch = request.make_watch(control)
        if is_beavered:
            takes = decider.takes_beaver(request.position, request.match, watch)
            return [Reply("besttake", RESPONSE_WORDS[CubeResponse.TAKE if takes else CubeResponse.PASS])]
        return [
            Reply("besttake", RESPONSE_WORDS[decider.choose_response(request.position, request.match, watch)])
        ]

    return _make_work(session, request, decide, "cube", asks=() if is_beavered else (None,))


_GO_HANDLERS: dict[str, Callable[[Session, GoRequest], Work]] = {
    "chequer": _go_chequer,
    "cube": _go_cube,
    "turn": _go_turn,
    "take": _go_take,
}


def _make_work(
    session: Session,
    request: GoRequest,
    decide: Callable[[Decider, WorkControl], list[Reply]],
    what: str,
    *,
    asks: Sequence[Roll | None],
) -> Work:
    """Return the work of a decision; it is quick at 0-ply by the session's own engine.

    Args:
        session: The session.
        request: What the decision is about.
        decide: Makes the decision.
        what: What it decides, for `make_decision_kind`.
        asks: What is to be known for it: the plays of rolls, and for None the position with its cube; empty
            for anything else.
    """
    settings, match = request.settings, request.match
    kind = make_decision_kind(what, match, settings)
    plays = sum(estimate_plays(request.position, roll) for roll in asks if roll is not None)
    is_own = session.engine_settings.player == ENGINE_PLAYER
    is_kept = (
        bool(asks)
        and is_own
        and all(
            session.recall(
                kind, request.position, match, settings if roll else replace(settings, is_cubeful=True), roll
            )
            for roll in asks
        )
    )
    is_long = request.is_long and not is_kept
    is_timed = is_own and (settings.plies > 0 or not is_long)

    def run(control: WorkControl) -> list[Reply]:
        decider = request.load_decider()
        if not is_timed:
            return decide(decider, control)
        with ExitStack() as stack:
            if is_known:
                stack.enter_context(control.take_interpreter())
            stack.enter_context(session.service.time_evaluation(decider.engine, kind))
            return decide(decider, control)

    is_known = is_own and not is_long and session.find_quick_engine(kind) is not None
    return Work(
        run,
        is_long=is_long or plays > MAX_SHORT_PLAYS,
        deadline_s=request.deadline_s,
        is_quick=is_known and plays <= MAX_QUICK_PLAYS,
        size=DECISION_SIZE,
    )


def _make_choice_info(request: GoRequest, choice: ChosenPlay) -> list[Reply]:
    """Report a choice that need not be the best of the search; the search reported others itself."""
    if not request.may_deviate:
        return []
    effort = replace(choice.ranked.effort, plies=choice.evaluation.plies)
    return [Reply("info", format_choice_info(effort, choice.evaluation), is_final=False)]


def _decide_double(decider: Decider, request: GoRequest, watch: SearchWatch) -> str:
    doubles = decider.should_double(request.position, request.match, watch)
    return "double" if doubles else "nodouble"


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
