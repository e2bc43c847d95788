"""``opinion``: what a player thinks of the position, or of the plays of the roll."""

from __future__ import annotations

from engine.errors import UnsupportedError
from engine.formats.position_id import encode_position_id
from engine.play.opinions import Opinion, form_opinion, rank_by_opinion
from engine.play.variant_player import adapt_to_rules
from engine.rules.moves import estimate_plays
from engine.rules.notation import format_play
from protocol.commands.command import CommandCall
from protocol.commands.evaluation import DECISION_SIZE, MAX_SHORT_PLAYS
from protocol.core.arguments import error_field
from protocol.core.requests import Answer, Reply, ReplyValue, Work, WorkControl
from protocol.state.player_registry import SESSION_PLAYERS

_PLAY_BYTES = 600
"""What a play takes on the wire, with sixteen features, about."""


def handle_opinion(call: CommandCall) -> Answer:
    """Answer with the number by which a player chooses, and all that it estimates and sees."""
    session, limit = call.session, call.values["n"]
    position, roll, rules = session.require_game(), session.game.match.roll, session.game.rules
    with error_field("player"):
        name = session.service.players.check_player(call.values["player"] or session.engine_settings.player)
    if name in SESSION_PLAYERS:
        raise UnsupportedError(
            f"expected a player other than {name}: 'eval' and 'moves' show what the net thinks",
            field="player",
        )

    def run(control: WorkControl) -> list[Reply]:
        player = session.service.players.find(name, session.engine_settings.threads)
        if player.checkers not in (None, rules.variant.checkers):
            player = adapt_to_rules(player, rules)
        if roll is None:
            opinion = form_opinion(player, position)
            return [Reply("opinion", values=_to_values(opinion) | {"player": player.name})]
        ranked = rank_by_opinion(player, position, roll, rules)
        shown = ranked if limit is None else ranked[:limit]
        lines = [
            Reply(
                "move",
                values={
                    "rank": rank,
                    "play": format_play(play),
                    **_to_values(opinion),
                    "gnubgid": encode_position_id(play.result),
                },
                is_final=False,
            )
            for rank, (play, opinion) in enumerate(shown, 1)
        ]
        about: dict[str, ReplyValue] = {"count": len(ranked), "shown": len(lines), "player": player.name}
        return [*lines, Reply("opinion", values=about)]

    plays = 0 if roll is None else estimate_plays(position, roll)
    answer_bytes = _PLAY_BYTES * min(plays, limit or plays)
    return Work(run, is_long=plays > MAX_SHORT_PLAYS, size=DECISION_SIZE + plays, answer_bytes=answer_bytes)


def _to_values(opinion: Opinion) -> dict[str, ReplyValue]:
    outcome = {} if opinion.outcome is None else opinion.outcome._asdict()
    return {"score": opinion.score, **outcome, **opinion.features}
