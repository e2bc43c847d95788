"""Read files and streams of OGXM: matches with the first analysis of each, and comments."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from gammond.engine.errors import FormatError
from gammond.engine.evaluation.results import Evaluation, RankedPlay
from gammond.engine.match_files.builder import MatchBuilder
from gammond.engine.match_files.model import (
    ANNOTATOR,
    ActionNotes,
    IssueKind,
    MatchIssue,
    MatchRules,
    RecordedMatch,
)
from gammond.engine.match_files.ogxm import codec
from gammond.engine.match_files.ogxm.codec import (
    Document,
    decode_members,
    read_board,
    read_decision,
    read_evaluation,
    read_scale,
    read_steps,
)
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MAX_CUBE, RESULT_NAMES, SEATS, GameResult
from gammond.engine.rules.rules import BACKGAMMON
from gammond.engine.wording import escape_unprintable

_TEXTS = {"event": "Event", "city": "Site", "stage": "Stage", "table": "Table", "match_ref": "Match ID"}
_DATES = {"day": "%Y.%m.%d", "month": "%Y.%m.??", "year": "%Y.??.??"}

_MAX_PARTS = 200_000
"""Actions and evaluated plays of a stream: those of some 1,000 matches, or of 100 with an analysis."""


def parse_ogxm(data: bytes) -> tuple[RecordedMatch, ...]:
    """Parse a file of OGXM, or a stream of them, one after the other.

    A match that is cut off or damaged is left out, and is an issue of the one before it, or after it. Places
    of issues are bytes of the file: where the match begins.

    Raises:
        FormatError: There is none.
        UnsupportedError: The package ogxm is not installed.
    """
    matches: list[RecordedMatch] = []
    issues: list[MatchIssue] = []
    count = 0
    for at, document in decode_members(data):
        count += 0 if isinstance(document, str) else _count_parts(document)
        if isinstance(document, str):
            fault = f"expected another match of OGXM, got {document}"
        elif count > _MAX_PARTS:
            fault = f"expected at most {_MAX_PARTS:,} actions and plays, got more: the rest is left out"
        elif not document.get("games"):
            fault = "expected a match of OGXM with games, got one without any"
        else:
            matches.append(_MatchReader(at, document).read())
            continue
        issues.append(MatchIssue(IssueKind.MISSING, escape_unprintable(fault), offset=at))
        if count > _MAX_PARTS:
            break
    if not matches:
        reason = "; ".join(issue.message for issue in issues[:3])
        raise FormatError(reason or "expected a match of OGXM, got an empty file", field="ogxm")
    matches[-1] = replace(matches[-1], issues=(*matches[-1].issues, *issues))
    return tuple(matches)


def _count_parts(document: Document) -> int:
    plies = [ply for game in document.get("games", ()) for ply in game["plies"]]
    return len(plies) + sum(len((ply.get("analysis") or {}).get("alternatives", ())) for ply in plies)


class _MatchReader:
    """Hands the plies of a match to a builder.

    Args:
        at: Where the match begins.
        document: The match.
    """

    def __init__(self, at: int, document: Document) -> None:
        self._document = document
        self._length: int = document.get("match_length", 0)
        is_money = self._length == 0
        self._comments: dict[tuple[str, int], list[str]] = defaultdict(list)
        self._said: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
        for each in document.get("annotations", ()):
            scope = each["scope"] if each["scope"] in ("match", "game") else "ply"
            place = scope, each["ref"]
            if "key" in each:
                self._said[place][each["key"]] = each["value"]
            else:
                self._comments[place].append(each["value"])
        rules = MatchRules(
            crawford=is_money or document.get("crawford", False),
            jacoby=document.get("jacoby", False),
            beavers=not is_money or document.get("beavers", False),
            raccoons=document.get("raccoons", False),
            automatic_doubles=document.get("auto_doubles", False),
            cube_limit=min(document.get("cube_limit", MAX_CUBE), MAX_CUBE),
        )
        names = document.get("player_white", ""), document.get("player_black", "")
        first, second = ((document.get(f"{owner}_profile") or {}).get("rating") for owner in codec.OWNERS)
        headers, ratings = self._read_headers(), (first, second)
        begun = RecordedMatch(names, self._length, rules, (), headers, ratings, format="ogxm")
        self._builder = MatchBuilder(begun, is_binary=True)
        self._builder.at = at
        self._builder.note_rules((), document.get("variant", BACKGAMMON.name))
        self._checkers = self._builder.variant.checkers
        block = document.get("analysis_info") or {}
        self._currency = block.get("currency", codec.CURRENCY)

    def read(self) -> RecordedMatch:
        """Read the match."""
        document, builder = self._document, self._builder
        self._add_comments("match", 0)
        score = [document.get(f"{owner}_score_start", 0) for owner in codec.OWNERS]
        ply = 0
        for number, game in enumerate(document["games"]):
            ruled = None
            if codec.MISSING not in self._said["game", number]:
                ruled = self._read_game(number, game, (score[0], score[1]), ply)
            ply += len(game["plies"])
            winner, points = game.get("winner"), game.get("points_won", 0)
            if ruled is not None and winner != ruled.winner:
                winner, points = ruled.winner, ruled.points
            if winner in SEATS:
                score[winner] += points
                score[winner] = min(score[winner], self._length) if self._length else score[winner]
        return builder.build()

    def _read_headers(self) -> dict[str, str]:
        document = self._document
        headers = {header: str(document[name]) for name, header in _TEXTS.items() if name in document}
        if "round" in document:
            headers["Round"] = str(document["round"])
        elif "Stage" in headers:
            headers["Round"] = headers.pop("Stage")
        if "Site" not in headers and "site" in document:
            headers["Site"] = document["site"]
        if (milliseconds := document.get("started_at")) is not None:
            began = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=min(milliseconds, 1 << 46))
            precision = document.get("date_precision", "instant")
            headers["EventDate"] = began.strftime(_DATES.get(precision, _DATES["day"]))
            if precision == "instant":
                headers["EventTime"] = began.strftime("%H:%M")
        block = document.get("analysis_info") or {}
        if annotator := block.get("model_name") or block.get("model_id"):
            headers[ANNOTATOR] = annotator
        said = self._said["match", 0]
        return headers | {
            key.removeprefix(codec.HEADER): value
            for key, value in said.items()
            if key.startswith(codec.HEADER)
        }

    def _read_game(
        self, number: int, game: Document, score: tuple[int, int], first: int
    ) -> GameResult | None:
        """Read a game; return its result by the rules."""
        builder = self._builder
        plies = game["plies"]
        seat = 1 - game["first_to_move"] if game.get("first_to_move") in SEATS else None
        if seat is not None and plies[0]["action_id"] == codec.SET_POSITION and "d1" in plies[0]:
            seat = 1 - seat  # an illegal play is a position for the next turn
        position = None
        if not game.get("is_default_board", True):
            with builder.reporting(IssueKind.IMPOSSIBLE_POSITION, f"game {number + 1}: "):
                position = read_board(game["initial_board"], seat or 0, self._checkers)
        cube = min(game.get("initial_cube_value", 1) << game.get("auto_doubles", 0), MAX_CUBE)
        owner = game.get("initial_cube_owner")
        if not builder.begin_game(
            number + 1,
            score,
            crawford=game.get("is_crawford") if self._length else None,
            cube=1 if owner in codec.OWNERS else cube,
            position=position,
            on_roll=seat,
        ):
            return None
        if owner in codec.OWNERS and (begun := builder.situation) is not None:
            match = replace(begun.match, cube=cube, cube_owner=codec.OWNERS.index(owner))
            builder.set_table(begun.position, match, first_seat_open=seat is None)
        self._add_comments("game", number)
        for place, ply in enumerate(plies):
            following = plies[place + 1] if place + 1 < len(plies) else {}
            before = plies[place - 1] if place else {}
            self._read_ply(before, ply, following, first + place)
            self._add_comments("ply", first + place)
            if ply["action_id"] == codec.BEAVER and following.get("action_id", codec.SETTLE) not in (
                codec.RACCOON,
                codec.SETTLE,
            ):
                builder.respond(ply["color"], is_take=True)  # the format says no more of it
        if game.get("winner") in SEATS:
            builder.state_result(game["winner"], game.get("points_won"))
        situation = builder.situation
        builder.end_game()
        return None if situation is None else situation.result

    def _read_ply(self, before: Document, ply: Document, following: Document, ref: int) -> None:
        builder, action = self._builder, ply["action_id"]
        seat = 1 - ply["color"] if ply.get("color") in SEATS else -1
        if action in codec.ROLLS.values():
            self._read_roll(ply, seat, ref)
        elif action in (
            codec.DOUBLE,
            codec.BEAVER,
            codec.RACCOON,
            codec.TAKE,
            codec.DROP,
        ):
            self._read_cube(ply, seat)
        elif action in (codec.RESIGN_GAME, codec.RESIGN_MATCH, codec.FORFEIT):
            value = ply.get("resign_value")
            builder.resign(seat, RESULT_NAMES.index(value) + 1 if value in RESULT_NAMES else 1)
        elif action in (codec.SET_POSITION, codec.SET_CUBE, codec.PASS):
            self._read_table(before, ply, following, ref)
        elif action == codec.SETTLE:  # the result says the rest
            if before.get("action_id") == codec.BEAVER:
                builder.respond(seat, is_take=False)
        elif action not in codec.MARKERS:
            builder.fail(IssueKind.UNSUPPORTED, f"expected an action that is known, got number {action}")

    def _read_cube(self, ply: Document, seat: int) -> None:
        builder, action = self._builder, ply["action_id"]
        is_response = action in (codec.BEAVER, codec.TAKE, codec.DROP)
        decision = read_decision(ply.get("analysis") or {}, self._currency, is_response=is_response)
        notes = ActionNotes(cube=decision)
        if action in (codec.TAKE, codec.DROP):
            builder.respond(seat, is_take=action == codec.TAKE, notes=notes)
        else:
            builder.double(seat, notes=notes)

    def _read_table(self, before: Document, ply: Document, following: Document, ref: int) -> None:
        action, situation = ply["action_id"], self._builder.situation
        seat = 1 - ply["color"]
        if action == codec.PASS:  # the turn goes to the other seat, without a roll
            if situation is not None and situation.result is None:
                self._builder.set_table(situation.position.swap_sides(), situation.match.next_turn())
        elif "d1" in ply:
            self._read_illegal_play(ply, 1 - seat, ref)
        elif action == codec.SET_POSITION:
            self._set_table(ply, seat, following if following.get("action_id") == codec.SET_CUBE else {})
        elif before.get("action_id") != codec.SET_POSITION or "d1" in before:
            self._set_table({}, seat, ply)

    def _read_roll(self, ply: Document, seat: int, ref: int) -> None:
        roll, analysis = _read_dice(ply), ply.get("analysis") or {}
        cube = analysis.get("cube_decision") or analysis.get("missed_double")
        if ply.get("unplayed_roll") or codec.UNPLAYED in self._said["ply", ref]:
            written = None if codec.UNPLAYED in self._said["ply", ref] else ""
            self._builder.play(seat, roll, written, ActionNotes(luck=self._read_luck(analysis)))
            return
        moves = read_steps(ply["moves"], seat)
        notes = ActionNotes(
            candidates=self._read_candidates(analysis, roll, seat, moves),
            cube=None if cube is None else read_decision(cube, self._currency),
            luck=self._read_luck(analysis),
        )
        self._builder.play(seat, roll, moves, notes)

    def _read_candidates(
        self, analysis: Document, roll: Roll, seat: int, played: list[tuple[int, int]]
    ) -> tuple[RankedPlay, ...]:
        """Return the plays that were considered; the one that was made also where only its loss is known."""
        scale, alternatives = read_scale(analysis, self._currency), analysis.get("alternatives", ())
        if scale is None or not alternatives:
            return ()
        even, stake = scale
        equities = [(each["equity"] - even) / stake for each in alternatives]
        found = [
            (read_steps(each["move"], seat), read_evaluation(each, equity, stake))
            for each, equity in zip(alternatives, equities, strict=True)
        ]
        loss = analysis.get("equity_loss", 0)
        if loss > 0 and not any(each["is_played"] for each in alternatives):
            found.append((played, Evaluation(equities[0] - loss / stake)))
        return self._builder.list_candidates(roll, found)

    def _read_luck(self, analysis: Document) -> float | None:
        luck = (analysis.get("roll") or {}).get("luck")
        anchored = (analysis.get("roll"), analysis, analysis.get("cube_decision"))
        for found in anchored:
            scale = read_scale(found or {}, self._currency)
            if luck is not None and scale is not None:
                return float(luck / scale[1])
        return None

    def _read_illegal_play(self, ply: Document, seat: int, ref: int) -> None:
        """Read a play against the rules: the position after it, and perhaps its moves."""
        roll = _read_dice(ply)
        moves = self._said["ply", ref].get(codec.MOVES)
        if moves is not None:
            self._builder.play(seat, roll, () if moves == codec.NO_MOVES else moves)
            return
        with self._builder.reporting(IssueKind.IMPOSSIBLE_POSITION, fails=True):
            position = read_board(ply["set_position"], 1 - seat, self._checkers)
            self._builder.play(seat, roll, position.board)
            lost = self._builder.last_situation
            if self._builder.situation is None and lost is not None:
                self._builder.set_table(position, replace(lost.match.before_roll(), on_roll=1 - seat))

    def _set_table(self, ply: Document, seat: int, cube: Document) -> None:
        """Set the checkers, if a ply has some, and the cube, if another one has it."""
        situation = self._builder.last_situation
        if situation is None or situation.result is not None:
            return
        position, match = situation.position, situation.match.before_roll()
        with self._builder.reporting(IssueKind.IMPOSSIBLE_POSITION, fails=True):
            if cube:
                owner = cube.get("cube_owner")
                owning_seat = codec.OWNERS.index(owner) if owner in codec.OWNERS else None
                match = replace(match, cube=cube["cube_value"], cube_owner=owning_seat)
            if ply:
                match = replace(match, on_roll=seat)
                position = read_board(ply["set_position"], seat, self._checkers)
            if ply or match != situation.match.before_roll():
                self._builder.set_table(position, match)

    def _add_comments(self, scope: str, ref: int) -> None:
        for text in self._comments[scope, ref]:
            self._builder.add_comment(text)


def _read_dice(ply: Document) -> Roll:
    return max(ply["d1"], ply["d2"]), min(ply["d1"], ply["d2"])
