"""``opinion``: what a player thinks of the position, or of the plays of the roll."""

from __future__ import annotations

from gammond.engine.errors import UnsupportedError
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.play.player import Opinion
from gammond.engine.rules.notation import format_play
from gammond.protocol.commands.command import Values
from gammond.protocol.core.arguments import error_field
from gammond.protocol.core.requests import Answer, Reply, ReplyValue, Work, WorkControl
from gammond.protocol.questions.plays import AskPlayer, PlayerOpinion
from gammond.protocol.questions.question import DECISION_SIZE, MAX_SHORT_PLAYS
from gammond.protocol.state.player_registry import SESSION_PLAYERS, PlayerRegistry
from gammond.protocol.state.session import Session

_PLAY_BYTES = 600
"""What a play takes on the wire, with sixteen features, about."""


def check_opinionated(players: PlayerRegistry, name: str) -> str:
    """Return the name of a player that can be asked for its opinion.

    Raises:
        GammondError: There is none of this name, or it is what the other commands ask; the field is
            ``player``.
    """
    with error_field("player"):
        name = players.check_player(name)
    if name in SESSION_PLAYERS:
        raise UnsupportedError(
            f"expected a player other than {name}: 'eval' and 'moves' show what the net thinks",
            field="player",
        )
    return name


def read_opinion(session: Session, player: str | None = None) -> AskPlayer:
    """Return the question what a player thinks of the game of a session.

    Args:
        session: Who asks about its game.
        player: Its name; None for that of the session.

    Raises:
        StateError: There is no position, or the game is over.
        GammondError: As `check_opinionated`.
    """
    position, game = session.require_game(), session.game
    name = check_opinionated(session.service.players, player or session.engine_settings.player)
    return AskPlayer(position, game.match.roll, game.rules, name)


def handle_opinion(session: Session, values: Values) -> Answer:
    """Answer with the number by which a player chooses, and all that it estimates and sees."""
    limit = values["n"]
    question = read_opinion(session, values["player"])

    def run(control: WorkControl) -> list[Reply]:
        found = question.run(session.service.players, session.engine_settings.threads)
        lines = [Reply("move", values=row, is_final=False) for row in list_opinions(found, limit)]
        return [*lines, Reply("opinion", values=opinion_to_values(found, len(lines)))]

    plays = question.estimate_plays()
    return Work(
        run,
        is_long=plays > MAX_SHORT_PLAYS,
        size=DECISION_SIZE + plays,
        answer_bytes=_PLAY_BYTES * min(plays, limit or plays),
    )


def opinion_to_values(found: PlayerOpinion, shown: int) -> dict[str, ReplyValue]:
    """Return what a player thinks of a position as keys; of plays, how many there are and are shown."""
    if found.opinion is not None:
        return _to_values(found.opinion) | {"player": found.player}
    return {"count": len(found.plays), "shown": shown, "player": found.player}


def list_opinions(found: PlayerOpinion, limit: int | None) -> list[dict[str, ReplyValue]]:
    """Return what a player thinks of plays as keys.

    Args:
        found: What it thinks.
        limit: How many of the plays; None for all.
    """
    return [
        {
            "rank": rank,
            "play": format_play(play),
            **_to_values(opinion),
            "gnubgid": encode_position_id(play.result),
        }
        for rank, (play, opinion) in enumerate(found.plays[:limit], 1)
    ]


def _to_values(opinion: Opinion) -> dict[str, ReplyValue]:
    outcome = {} if opinion.outcome is None else opinion.outcome._asdict()
    return {"score": opinion.score, **outcome, **opinion.features}
