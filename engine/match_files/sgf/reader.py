"""Read SGF for backgammon (GM[6]): matches as GNU Backgammon writes them, with its analysis.

Each game is a tree, of which the first branch counts. Statistics (``GS``) are left out: they follow from the
analysis.

*Source:* the specification of SGF FF[4], and files that gnubg 1.07.001 and 1.08.003 wrote.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gammond.engine.errors import FormatError
from gammond.engine.match_files.builder import MatchBuilder, Score
from gammond.engine.match_files.conventions import find_variant, parse_number, quote_text
from gammond.engine.match_files.model import (
    NO_NOTES,
    ActionNotes,
    IssueKind,
    MatchRules,
    RecordedMatch,
    RecordedPosition,
)
from gammond.engine.match_files.sgf import values
from gammond.engine.match_files.sgf.tree import SgfNode, SgfTree, parse_sgf_trees
from gammond.engine.match_files.sgf.values import COLOURS, parse_numbers, parse_points, parse_written_play
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.game_record import GameSituation
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import CheckerMove, can_move
from gammond.engine.rules.position import Position, swap_sides
from gammond.engine.rules.rules import BACKGAMMON, VARIANTS

SGF_SIGN = re.compile(r"\A\s*\(\s*;.{0,2000}?GM\[6\]", re.DOTALL)
"""What every text of this format begins with."""

_CUBE_OWNERS = {"c": None, "w": 0, "b": 1}
_REJECTED = re.compile(r"([WB])([1-3])")
_RESULT = re.compile(r"([WB])\+([0-9]{1,6})(R?)")
_WORDS = {"double": None, "take": True, "drop": False, "pass": False}
_RULES = values.RULE_WORDS | values.MORE_RULE_WORDS
_KNOWN_WORDS = {word.lower() for word in (*_RULES, values.NO_CUBE, values.CRAWFORD_GAME)}
_CUBE_LIMIT = values.CUBE_LIMIT.lower()
_POSITION_FAULTS = frozenset(
    (
        IssueKind.UNREADABLE,
        IssueKind.UNSUPPORTED,
        IssueKind.IMPOSSIBLE_SCORE,
        IssueKind.IMPOSSIBLE_POSITION,
    )
)
_ACTION = re.compile(r";\s*[BW]\s*\[")
_SETUP = frozenset(("PL", "AE", "AW", "AB", "CV", "CP"))


def parse_sgf(text: str) -> tuple[RecordedMatch, ...]:
    """Parse all matches of a text: consecutive games of the same players, length and rules are one.

    Raises:
        FormatError: There is no game.
    """
    matches: list[RecordedMatch] = []
    reader: _MatchReader | None = None
    for tree in parse_sgf_trees(text):
        heading = SgfHeading.read(tree.nodes[0])
        if reader is not None and "GM" not in tree.nodes[0].properties:
            heading = replace(reader.heading, number=None, score=None)
        if reader is None or reader.heading.differs(heading):
            if reader is not None:
                matches.append(reader.builder.build())
            reader = _MatchReader(tree.nodes[0], heading)
        reader.read_game(tree, heading)
    if reader is not None:
        matches.append(reader.builder.build())
    if not any(match.games or match.issues for match in matches):
        raise FormatError("expected an SGF file with a game of backgammon, GM[6], got none", field="match")
    return tuple(matches)


def is_sgf_position(text: str) -> bool:
    """Return whether a text is of games in which a position or dice were set, and nothing was done."""
    if SGF_SIGN.match(text) is None or _ACTION.search(text) is not None:
        return False
    trees = list(parse_sgf_trees(text))
    names = {name for tree in trees for node in tree.nodes[1:] for name in node.properties}
    has_result = any("RE" in tree.nodes[0].properties for tree in trees)
    return not has_result and not names.isdisjoint(_SETUP | {"DI"}) and names.isdisjoint(COLOURS)


def parse_sgf_positions(text: str) -> tuple[RecordedPosition, ...]:
    """Parse the positions of a text for which `is_sgf_position` holds, each with its dice and comments.

    Raises:
        FormatError: A position is impossible, or of a game that is not known.
    """
    positions = []
    for tree in parse_sgf_trees(text):
        reader = _MatchReader(tree.nodes[0], heading := SgfHeading.read(tree.nodes[0]))
        reader.read_game(tree, heading)
        match = reader.builder.build()
        faults = [issue for issue in match.issues if issue.kind in _POSITION_FAULTS]
        if reader.table is None or faults:
            raise FormatError(
                "; ".join(map(str, faults)) or "expected a position, got none", field="position"
            )
        comment = "\n".join(filter(None, (node.text("C").strip() for node in tree.nodes)))
        notes = ActionNotes(comment=comment)
        positions.append(
            RecordedPosition(*reader.table, heading.names, notes, "sgf", match.rules, match.headers)
        )
    return tuple(positions)


@dataclass(frozen=True)
class SgfHeading:
    """What the root of a game says about its match.

    Attributes:
        names: Of White and Black.
        length: Points of the match.
        rules: The words of ``RU``, and of our own property, small; None without ``RU``.
        number: The number of the game, from 0; None if it has none.
        score: Points of White and Black before the game; None where it does not say.
    """

    names: tuple[str, str]
    length: int
    rules: frozenset[str] | None
    number: int | None
    score: Score | None

    @classmethod
    def read(cls, root: SgfNode) -> SgfHeading:
        """Read the root of a game; what it does not say has its default."""
        info = dict.fromkeys(("length", "game", "ws", "bs"), "")
        for value in root.properties.get("MI", []):
            word, _, number = value.partition(":")
            info[word.strip()] = number.strip()
        words = f"{root.text('RU')}:{root.text(values.MORE_RULES)}".lower().split(":")
        rules = frozenset(word.strip() for word in words if word.strip())
        return cls(
            (root.text("PW"), root.text("PB")),
            parse_number(info["length"]) or 0,
            rules if "RU" in root.properties else None,
            parse_number(info["game"]),
            (parse_number(info["ws"]) or 0, parse_number(info["bs"]) or 0),
        )

    def differs(self, other: SgfHeading) -> bool:
        """Return whether a later game belongs to another match."""
        return other.number == 0 or self._key != other._key

    @property
    def _key(self) -> object:
        """What all games of a match have in common."""
        return self.names, self.length, (self.rules or frozenset()) - {values.CRAWFORD_GAME.lower()}


class _MatchReader:
    """Reads the games of one match into a builder; the root of the first one says what all have in common."""

    def __init__(self, root: SgfNode, heading: SgfHeading) -> None:
        words = heading.rules or frozenset()
        self.heading = heading
        variants = [word for word in sorted(words) if word in VARIANTS or word.startswith("hyper")]
        self._variant = variants[0] if variants else BACKGAMMON.name
        found, _ = find_variant(self._variant)
        limits = {word for word in words if word.startswith(_CUBE_LIMIT)}
        unknown = sorted(words - _KNOWN_WORDS - limits - set(variants))
        fault = f"in RU is no rule that is known: read as {found.variant.name} without it" if found else ""
        self._rule_faults = [f"{quote_text(word)} {fault}" for word in unknown if fault]
        stated: dict[str, Any] = {
            rule: (word.lower() in words) is is_on for word, (rule, is_on) in _RULES.items()
        }
        stated["crawford"] |= heading.rules is None or not heading.length
        numbers = (parse_number(word.removeprefix(_CUBE_LIMIT)) for word in limits)
        limit = next(filter(None, numbers), MatchRules.cube_limit)
        rules = MatchRules(**stated, cube_limit=1 if values.NO_CUBE.lower() in words else limit)
        begun = RecordedMatch(heading.names, heading.length, rules, (), _read_headers(root), format="sgf")
        ratings = (parse_numbers([root.text(name).strip()]) for name in ("WR", "BR"))
        white, black = (found[0] if found else None for found in ratings)
        self.builder = MatchBuilder(replace(begun, ratings=(white, black), comment=root.text("GC").strip()))
        self._has_rules = False
        self._games = 0
        self._setup: list[SgfNode] = []
        self._roll: tuple[int, Roll] | None = None
        self.table: tuple[Position, MatchState] | None = None

    def read_game(self, tree: SgfTree, heading: SgfHeading) -> None:
        """Read a game."""
        root, builder = tree.nodes[0], self.builder
        if not self._begin_game(root, heading):
            return
        builder.add_comment(root.text("C"))
        if root.fault:
            builder.add_issue(IssueKind.UNREADABLE, root.fault)
        self._setup, self._roll = [], None
        for node in tree.nodes[1:]:
            builder.at = node.line
            self._read_node(node)
            if node.fault:
                self._apply_setup()
                builder.fail(IssueKind.UNREADABLE, node.fault)
        if tree.fault:
            builder.add_issue(IssueKind.UNREADABLE, tree.fault)
        self._apply_setup()
        if (last := builder.situation) is not None:
            match = last.match if self._roll is None else last.match.before_roll().with_roll(self._roll[1])
            self.table = last.position, match
        if self._roll is not None:
            builder.play(*self._roll, None)
        if result := _RESULT.match(root.text("RE").strip()):
            if result[3] and values.BY_RESULT not in root.properties:
                builder.note_resignation()
            builder.at = root.line
            builder.state_result(COLOURS.index(result[1]), int(result[2]))

    def _begin_game(self, root: SgfNode, heading: SgfHeading) -> bool:
        """Begin a game, and return whether it is one that can be read."""
        builder, rules = self.builder, heading.rules
        builder.at = root.line
        self._games += 1
        builder.end_game()
        if (game := root.properties.get("GM", ["6"])[0].strip()) != "6":
            builder.add_issue(IssueKind.UNSUPPORTED, f"expected backgammon, GM[6], got GM[{game[:20]}]")
            return False
        if not self._has_rules:
            builder.note_rules(self._rule_faults, self._variant)
            self._has_rules = True
        is_stated = bool(heading.length) and rules is not None and "RU" in root.properties
        return builder.begin_game(
            self._games if heading.number is None else heading.number + 1,
            heading.score,
            crawford=values.CRAWFORD_GAME.lower() in (rules or ()) if is_stated else None,
            cube=parse_number(root.text("CV")) or 1,
        )

    def _read_node(self, node: SgfNode) -> None:
        if not _SETUP.isdisjoint(node.properties):
            self._setup.append(node)
        if node.properties.get("DI"):
            self._read_dice(node)
        if rejected := _REJECTED.fullmatch(node.text(values.REJECTED_RESIGNATION)):
            self._apply_setup()
            seat = COLOURS.index(rejected[1])
            self.builder.resign(seat, int(rejected[2]), is_accepted=False)
        for colour in node.properties:
            if colour in COLOURS:
                seat = COLOURS.index(colour)
                text = node.text(colour).strip()
                self._apply_setup(None if _WORDS.get(text.lower()) is not None else seat)
                self._roll = None
                self._read_action(node, seat, text)
        if comment := node.text("C"):
            self._apply_setup()
            self.builder.add_comment(comment)

    def _read_dice(self, node: SgfNode) -> None:
        """Read dice that a play of the same seat may follow; at the end of the game they were not played."""
        self._apply_setup()
        found, situation = parse_written_play(node.text("DI"), 0), self.builder.situation
        if found is not None and situation is not None:
            self._roll = situation.match.on_roll, found[0]

    def _apply_setup(self, acting: int | None = None) -> None:
        """Set what was set up; `acting` is the seat that rolls or doubles next, None if it is not known."""
        nodes, self._setup = self._setup, []
        before = self.builder.last_situation
        if before is None or not nodes:
            return
        with self.builder.reporting(IssueKind.IMPOSSIBLE_POSITION):
            after = _set_up(nodes, before, acting)
            if (after.position, after.match) != (before.position, before.match):
                self.builder.set_table(after.position, after.match)

    def _read_action(self, node: SgfNode, seat: int, text: str) -> None:
        builder, word = self.builder, text.lower()
        if word in _WORDS:
            is_take = _WORDS[word]
            notes = self._read_cube_notes(node, seat ^ (is_take is not None))
            if is_take is None:
                builder.double(seat, notes=notes)
            else:
                builder.respond(seat, is_take=is_take, notes=notes)
            return
        written = parse_written_play(text, seat)
        if written is None:
            message = f"expected dice and moves, double, take or drop, got {text[:MAX_QUOTED_CHARS]!r}"
            builder.fail(IssueKind.UNREADABLE, message)
            return
        roll, moves = written
        played: list[CheckerMove] | None = moves
        if not moves and (self._can_move(roll) or values.UNPLAYED_ROLL in node.properties):
            played = None
        builder.play(seat, roll, played, self._read_play_notes(node, seat, roll))

    def _can_move(self, roll: Roll) -> bool:
        situation = self.builder.situation
        if situation is None or situation.result is not None or situation.match.doubled:
            return False
        return can_move(situation.position, roll)

    def _read_play_notes(self, node: SgfNode, seat: int, roll: Roll) -> ActionNotes:
        candidates, situation = [], self.builder.situation
        if situation is not None:
            match = replace(situation.match.before_roll(), on_roll=seat)
            candidates = [values.parse_candidate(value, match) for value in node.properties.get("A", [])[1:]]
        luck = parse_numbers([node.text("LU").strip()])
        cube_notes = self._read_cube_notes(node, seat)
        notes = replace(
            cube_notes,
            candidates=self.builder.list_candidates(roll, filter(None, candidates)),
            luck=luck[0] if luck else None,
            play_mark=_read_mark(node, values.PLAY_MARKS),
            luck_mark=_read_luck_mark(node, seat),
        )
        return NO_NOTES if notes == NO_NOTES else notes

    def _read_cube_notes(self, node: SgfNode, doubler: int) -> ActionNotes:
        situation = self.builder.situation
        if situation is None or situation.match.beavered or not node.text("DA"):
            return NO_NOTES
        match = replace(situation.match.before_roll(), on_roll=doubler)
        decision = values.parse_decision(node.text("DA"), match)
        return ActionNotes(cube=decision, cube_mark=_read_mark(node, values.CUBE_MARKS))


def _set_up(nodes: Sequence[SgfNode], before: GameSituation, acting: int | None) -> GameSituation:
    """Return where a game stands after nodes that set up checkers, cube and turn.

    GNU Backgammon may write the wrong seat beside a position: the one that acts next is on roll then.

    Raises:
        GammondError: They are impossible.
    """
    position, match = before.position, before.match
    clear, white, black = list[str](), list[str](), list[str]()
    seat, cube, owner = None, match.cube, ""
    for node in nodes:
        colour = node.text("PL").strip()[:1].upper()
        seat = COLOURS.index(colour) if colour in COLOURS else seat
        cleared = parse_points(node.properties.get("AE", []))
        clear += cleared
        white = [letter for letter in white if letter not in cleared]
        black = [letter for letter in black if letter not in cleared]
        white += parse_points(node.properties.get("AW", []))
        black += parse_points(node.properties.get("AB", []))
        cube = parse_number(node.text("CV")) or cube
        owner = node.text("CP").strip().lower()[:1] or owner
    board = position.board if match.on_roll == 0 else swap_sides(position.board)
    if clear or white or black:
        board = values.read_checkers(board, clear, white, black)
    if acting is not None and (seat is not None or white or black):
        seat = acting
    on_roll = match.on_roll if seat is None else seat
    cube_owner = _CUBE_OWNERS.get(owner, match.cube_owner)
    following = replace(match.before_roll(), cube=cube, cube_owner=cube_owner, on_roll=on_roll)
    placed = Position(board if on_roll == 0 else swap_sides(board), position.checkers)
    return GameSituation(placed, following)


def _read_headers(root: SgfNode) -> dict[str, str]:
    headers = {}
    for name, header in values.HEADERS.items():
        if value := root.text(name).strip():
            headers[header] = value.replace("-", ".") if name == "DT" else value
    for text in root.properties.get(values.MORE_HEADERS, []):
        word, _, said = text.partition("=")
        headers[word] = said
    return headers


def _read_mark(node: SgfNode, marks: Mapping[str, tuple[str, str]]) -> str:
    """Return the mark that a node has; without a value it is the lower one of two."""
    for mark, (name, value) in marks.items():
        if name in node.properties and (node.text(name).strip() or (value and "1")) == value:
            return mark
    return ""


def _read_luck_mark(node: SgfNode, seat: int) -> str:
    """Read which colour the roll is good for, and how much."""
    for other, name in enumerate(("GW", "GB")):
        if name in node.properties:
            very = "very " if node.text(name).strip() == "2" else ""
            return f"{very}{'lucky' if other == seat else 'unlucky'}"
    return ""
